import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { isVerified } from '../accounts/account.ts';
import { accountById } from '../accounts/account-store.ts';
import { currentAccountId } from '../authorize.ts';
import { toOwnOrganization } from '../organizations/organization.ts';
import { organizationsById } from '../organizations/organization-store.ts';
import { openMembershipsOf } from './memberships.ts';

export const getSession = handle('accounts.GetSession', async (_request, caller) => {
  const { org_id, role } = caller.principal;
  const [account, memberships] = await Promise.all([accountById(currentAccountId(caller)), openMembershipsOf(currentAccountId(caller))]);
  if (account === null) throw new AppError('invalid_session');
  const organizations = await organizationsById([org_id, ...memberships.map((membership) => membership.org_id)]);
  const current = organizations.get(org_id);
  return {
    account: {
      id: account._id,
      email: account.email,
      name: account.name,
      email_verified: isVerified(account),
      two_factor: account.two_factor === true,
    },
    organization: current && toOwnOrganization(current),
    role: current && role,
    organizations: memberships.map((each) => ({ id: each.org_id, name: organizations.get(each.org_id)?.name ?? '', role: each.role })),
  };
});
