import { consume, consumerOf } from '@webkiln/events';
import { type DataServiceName, serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { eraseOrganization } from '@webkiln/store';
import { OrgPolicyModel } from './org-policy-store.ts';

const reportTimeoutMs = 10_000;

/**
 * Deletes everything that the service has of an organization when identity asks for it, and reports how much it was. A
 * process that dies in between leaves the rest to the next one. `reduce` takes the names out of records that are
 * `keptWhenErased`, and resolves to how many of them still had some.
 */
export function startErasure(service: Exclude<DataServiceName, 'identity'>, reduce?: (org_id: string) => Promise<number>): void {
  consume({
    ...consumerOf(`${service}-erasure`),
    concurrency: 1,
    atLeastOnceHandler: async ({ data: { organization_id, round } }) => {
      const reduced = (await reduce?.(organization_id)) ?? 0;
      const deleted = reduced + (await eraseOrgPolicyLast(organization_id));
      await call('identity.ReportErasure', { organization_id, round, deleted }, serviceCaller(service, '', reportTimeoutMs));
    },
  });
}

/** The policy goes last: the organization is suspended as long as anything else of it is there. */
async function eraseOrgPolicyLast(organization_id: string): Promise<number> {
  const others = await eraseOrganization(organization_id, [OrgPolicyModel]);
  return others + (await eraseOrganization(organization_id));
}
