import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { changeStanding } from './change-standing.ts';
import { toOrganization } from './organization.ts';
import { resume } from './standing.ts';

/** Ends a suspension: everything works as before. Repeats change nothing. */
export const resumeOrganization = handle(
  'identity.ResumeOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeStanding(caller, (current) => resume(caller, current))),
  })),
);
