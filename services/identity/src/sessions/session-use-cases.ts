import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { toAccount } from '../accounts/account.ts';
import { accountById } from '../accounts/account-store.ts';
import { currentAccountId } from '../authorize.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { toOwnOrganization } from '../organizations/organization.ts';
import { organizationById, organizationsById } from '../organizations/organization-store.ts';
import { openMembershipsOf } from './memberships.ts';
import { activeMembershipOf, toSession } from './session.ts';
import { endSession as end, moveSession, sessionById, sessionsOf } from './session-store.ts';
import { verifySessions } from './verify-sessions.ts';

const getSession = handle('accounts.GetSession', async (_request, caller) => {
  const { org_id, role } = caller.principal;
  const [account, memberships] = await Promise.all([accountById(currentAccountId(caller)), openMembershipsOf(currentAccountId(caller))]);
  if (account === null) throw new AppError('invalid_session');
  const organizations = await organizationsById([org_id, ...memberships.map((membership) => membership.org_id)]);
  const current = organizations.get(org_id);
  return {
    account: toAccount(account),
    organization: current && toOwnOrganization(current),
    role: current && role,
    second_factor_required: current?.require_second_factor === true && role !== 'client' && account.two_factor !== true,
    organizations: memberships.map((each) => ({ id: each.org_id, name: organizations.get(each.org_id)?.name ?? '', role: each.role })),
  };
});

const listSessions = handle('accounts.ListSessions', async (_request, caller) => {
  const sessions = await sessionsOf(currentAccountId(caller));
  const shown = sessions.map((session) => ({ ...toSession(session), current: session._id === caller.principal.credential_id }));
  return { sessions: shown, total: shown.length };
});

const endSession = handle('accounts.EndSession', async ({ session_id }, caller) => {
  const session = await sessionById(currentAccountId(caller), session_id);
  if (session === null) throw new AppError('session_not_found');
  await end(caller, session);
  return { deleted: true, id: session_id };
});

const switchOrganization = handle('accounts.SwitchOrganization', async ({ organization_id }, caller) => {
  const membership = (await openMembershipsOf(currentAccountId(caller))).find(({ org_id }) => org_id === organization_id);
  const organization = membership && (await organizationById(organization_id));
  if (!membership || !organization) throw new AppError('organization_not_found');
  await moveSession(caller, { _id: caller.principal.credential_id }, activeMembershipOf(membership));
  return { organization: toOwnOrganization(organization), role: membership.role };
});

export const sessionUseCases = (hashOf: KeyHash) => [verifySessions(hashOf), getSession, switchOrganization, listSessions, endSession];
