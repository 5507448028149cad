import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { toOrganization } from '../organizations/organization.ts';
import { changeStanding } from './change-standing.ts';
import { suspend } from './standing.ts';

/** Refuses the credentials of the organization and stops what it does. Repeats change nothing. */
export const suspendOrganization = handle(
  'identity.SuspendOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeStanding(caller, (current) => suspend(caller, current, new Date()))),
  })),
);
