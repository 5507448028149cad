import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { toOrganization } from '../organizations/organization.ts';
import { changeStanding } from './change-standing.ts';
import { resume } from './standing.ts';

/** Ends a suspension: everything works as before. Repeats change nothing. */
export const resumeOrganization = handle(
  'identity.ResumeOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeStanding(caller, (current) => resume(caller, current))),
  })),
);
