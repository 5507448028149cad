import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { assertNotDeleted } from '../erasure/erasure.ts';
import { toOrganization } from '../organizations/organization.ts';
import { changeStanding } from './change-standing.ts';
import { resume } from './standing.ts';

/** Ends a suspension: everything works as before. Repeats change nothing. Refused for one that is to be erased. */
export const resumeOrganization = handle(
  'identity.ResumeOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(
      await changeStanding(caller, (current) => {
        assertNotDeleted(current);
        return resume(caller, current);
      }),
    ),
  })),
);
