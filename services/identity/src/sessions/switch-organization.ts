import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { currentAccountId } from '../authorize.ts';
import { toOwnOrganization } from '../organizations/organization.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { openMembershipsOf } from './memberships.ts';
import { activeMembershipOf } from './session.ts';
import { moveSession } from './session-store.ts';

export const switchOrganization = handle('accounts.SwitchOrganization', async ({ organization_id }, caller) => {
  const membership = (await openMembershipsOf(currentAccountId(caller))).find(({ org_id }) => org_id === organization_id);
  const organization = membership && (await organizationById(organization_id));
  if (!membership || !organization) throw new AppError('organization_not_found');
  await moveSession(caller, { _id: caller.principal.credential_id }, activeMembershipOf(membership));
  return { organization: toOwnOrganization(organization), role: membership.role };
});
