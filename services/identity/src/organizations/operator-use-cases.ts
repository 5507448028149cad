import { validate } from '@webkiln/contract';
import { auditEvent, type Caller, Change, quotas, type RaisedEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization, forOperators } from '../authorize.ts';
import { assertNotDeleted } from './erasure.ts';
import { changeLimit, exported, type OrgPolicyChange, type OrgPolicySettings, resume, suspend, toLimits } from './org-policy.ts';
import { changeOrganization, NewOrganization, toOrganization } from './organization.ts';
import { type OrganizationRecord, saveOrganization, saveOrgPolicy } from './organization-store.ts';

/** Refuses the credentials of the organization and stops what it does. Repeats change nothing. */
export const suspendOrganization = handle(
  'identity.SuspendOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeOrgPolicy(caller, (current) => suspend(caller, current, new Date()))),
  })),
);

/** Ends a suspension: everything works as before. Repeats change nothing. Refused for one that is to be erased. */
export const resumeOrganization = handle(
  'identity.ResumeOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(
      await changeOrgPolicy(caller, (current) => {
        assertNotDeleted(current);
        return resume(caller, current);
      }),
    ),
  })),
);

/** Records in the audit log that an operator exports the organization's data, before any of it is read. */
export const exportOrganization = handle(
  'identity.ExportOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeOrgPolicy(caller, (current) => exported(caller, current))),
  })),
);

/** Records in the audit log that an operator is about to replay or discard a dead letter of the organization. */
export const recordDeadLetter = handle(
  'identity.RecordDeadLetter',
  forOperators(async ({ dead_letter_id: id, consumer: name, discarded }, caller) => {
    const action = discarded ? 'dead_letter.discarded' : 'dead_letter.replayed';
    await recordAct(caller, auditEvent(caller, action, { kind: 'dead_letter', id, name }));
    return {};
  }),
);

/** Records in the audit log that an operator is about to replay deliveries of a webhook of the organization. */
export const recordReplay = handle(
  'identity.RecordReplay',
  forOperators(async ({ webhook_id: id, url: name }, caller) => {
    await recordAct(caller, auditEvent(caller, 'deliveries.replayed', { kind: 'webhook', id, name }));
    return {};
  }),
);

/** Names the organization's log in the event: the record that it is saved with is no record of an organization. */
const recordAct = (caller: Caller, event: RaisedEvent) =>
  changeOrgPolicy(caller, ({ _id }) => new Change({}, [{ ...event, data: { ...event.data, org_ids: [_id] } } as RaisedEvent]));

/** A person of an organization does the same in its dashboard. */
export const renameOrganization = handle(
  'identity.RenameOrganization',
  forOperators((request, caller) =>
    saveWithRetry(caller, async () => {
      const { name } = validate(NewOrganization.pick({ name: true }), request);
      const current = await currentOrganization(caller);
      const change = changeOrganization(current, { name });
      return { organization: toOrganization(change === null ? current : await saveOrganization(caller, current, change)) };
    }),
  ),
);

/** As members see them; the gateway adds what is used. */
export const shownLimits = (organization: OrganizationRecord, settings: OrgPolicySettings) =>
  toLimits(organization, settings).map(({ name, limit }) => ({ name, limit, unit: quotas[name].unit, used: null }));

/** Operators see what applies without a limit of its own, members the limits. */
export const getLimits = (settings: OrgPolicySettings) => [
  handle(
    'identity.GetLimits',
    forOperators(async (_request, caller) => ({ limits: toLimits(await currentOrganization(caller), settings) })),
  ),
  handle('accounts.GetLimits', async (_request, caller) => ({ limits: shownLimits(await currentOrganization(caller), settings) })),
];

/** Sets one limit of the organization, or returns it to the platform's. */
export const setLimit = (settings: OrgPolicySettings) =>
  handle(
    'identity.SetLimit',
    forOperators(async (request, caller) => ({
      limits: toLimits(await changeOrgPolicy(caller, (current) => changeLimit(caller, current, request)), settings),
    })),
  );

/** Applies an operator's decision to the organization that the call is for; null changes nothing. */
export const changeOrgPolicy = (
  caller: Caller,
  decide: (current: OrganizationRecord) => Change<OrgPolicyChange> | null,
): Promise<OrganizationRecord> =>
  saveWithRetry(caller, async () => {
    const current = await currentOrganization(caller);
    const change = decide(current);
    return change === null ? current : saveOrgPolicy(caller, current, change);
  });
