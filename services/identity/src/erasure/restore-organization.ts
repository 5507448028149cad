import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { toOrganization } from '../organizations/organization.ts';
import { changeStanding } from '../standing/change-standing.ts';
import { takeBackErasure } from './erasure.ts';

/** Takes a deletion back: everything works as before. Repeats change nothing. */
export const restoreOrganization = handle(
  'identity.RestoreOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeStanding(caller, (current) => takeBackErasure(caller, current))),
  })),
);
