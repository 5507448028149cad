import { handle } from '@webkiln/rpc';
import { forOperators } from '../authorize.ts';
import { toOrganization } from '../organizations/organization.ts';
import { changeStanding } from './change-standing.ts';
import { exported } from './standing.ts';

/** Records in the audit log that an operator exports the organization's data, before any of it is read. */
export const exportOrganization = handle(
  'identity.ExportOrganization',
  forOperators(async (_request, caller) => ({
    organization: toOrganization(await changeStanding(caller, (current) => exported(caller, current))),
  })),
);
