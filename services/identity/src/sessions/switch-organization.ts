import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { toOwnOrganization } from '../organizations/organization.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { openMembershipsOf } from '../sessions/memberships.ts';
import { placeOf } from '../sessions/session.ts';
import { moveSession } from '../sessions/session-store.ts';
import { accountOf } from './signed-in.ts';

export const switchOrganization = handle('accounts.SwitchOrganization', async ({ organization_id }, caller) => {
  const membership = (await openMembershipsOf(accountOf(caller))).find(({ org_id }) => org_id === organization_id);
  const organization = membership && (await organizationById(organization_id));
  if (!membership || !organization) throw new AppError('organization_not_found');
  await moveSession(caller, { _id: caller.principal.credential_id }, placeOf(membership));
  return { organization: toOwnOrganization(organization), role: membership.role };
});
