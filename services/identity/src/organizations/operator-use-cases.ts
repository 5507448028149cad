import { auditEvent, type Caller, Change, quotas, type RaisedEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization, forOperators } from '../authorize.ts';
import { assertNotDeleted } from './erasure.ts';
import { changeLimit, exported, type OrgPolicyChange, type OrgPolicySettings, resume, suspend, toLimits } from './org-policy.ts';
import { toOrganization } from './organization.ts';
import { type OrganizationRecord, saveOrgPolicy } from './organization-store.ts';

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
    const event = auditEvent(caller, action, { kind: 'dead_letter', id, name });
    await changeOrgPolicy(caller, ({ _id }) => {
      const named = { ...event, data: { ...event.data, org_ids: [_id] } } as RaisedEvent;
      return new Change({}, [named]);
    });
    return {};
  }),
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
