import type { Caller, Change } from '@webkiln/messages';
import { saveWithRetry } from '@webkiln/store';
import { currentOrganization } from '../authorize.ts';
import { type OrganizationRecord, saveStanding } from '../organizations/organization-store.ts';
import type { StandingChange } from './standing.ts';

/** Applies an operator's decision to the organization that the call is for; null changes nothing. */
export const changeStanding = (
  caller: Caller,
  decide: (current: OrganizationRecord) => Change<StandingChange> | null,
): Promise<OrganizationRecord> =>
  saveWithRetry(caller, async () => {
    const current = await currentOrganization(caller);
    const change = decide(current);
    return change === null ? current : saveStanding(caller, current, change);
  });
