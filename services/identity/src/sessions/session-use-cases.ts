import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { toAccount } from '../accounts/account.ts';
import { accountById } from '../accounts/account-store.ts';
import { assertInternal, currentAccountId } from '../authorize.ts';
import { foundUnder, type KeyHash, rehash } from '../keys/key-secret.ts';
import type { OrganizationAdmission } from '../organizations/org-policy.ts';
import { toOwnOrganization } from '../organizations/organization.ts';
import { admissionsOf, organizationById, organizationsById } from '../organizations/organization-store.ts';
import { currentMembership, openMembershipsOf } from './memberships.ts';
import { activeMembershipOf, type Membership, type SessionState, toSession } from './session.ts';
import { endSession as end, moveSession, rehashSessions, sessionById, sessionsByHash, sessionsOf } from './session-store.ts';

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

const invalid = { valid: false };

/**
 * The introspection result (RFC 7662). Sessions that ended, expired or lost access to their organization are only
 * reported as invalid.
 */
async function introspectSession(session: SessionState | undefined, admission: OrganizationAdmission | undefined) {
  if (session === undefined) return invalid;
  const membership = await currentMembership(session);
  if (membership === null && session.org_id !== '') return invalid;
  const needs_second_factor = await needsSecondFactor(session.account_id, membership, admission);
  return {
    valid: true,
    session_id: session._id,
    account_id: session.account_id,
    org_id: session.org_id,
    role: membership?.role,
    user_id: membership?.kind === 'user' ? membership.id : undefined,
    client_id: membership?.client_id,
    expires_at: session.expires_at.toISOString(),
    suspended: admission?.suspended,
    requests_limit: admission?.requests_limit,
    joined_by_link: membership?.joined_by_link,
    needs_second_factor,
    has_agency_tools: membership?.kind === 'user' && admission?.client_tools,
  };
}

/** True for a member without the second factor that its organization requires. */
const needsSecondFactor = async (
  account_id: string,
  membership: Pick<Membership, 'kind'> | null,
  organization: Pick<OrganizationAdmission, 'require_second_factor'> | undefined,
): Promise<boolean> =>
  membership?.kind === 'member' && organization?.require_second_factor === true && (await accountById(account_id))?.two_factor !== true;

export const verifySessions = (hashOf: KeyHash) =>
  handle('identity.VerifySessions', async ({ session_digests }, caller) => {
    assertInternal(caller);
    const hashes = session_digests.map(hashOf.all);
    const sessions = await sessionsByHash(hashes.flat());
    const admissions = await admissionsOf([...sessions.values()].map(({ org_id }) => org_id));
    const found = hashes.map((candidates) => foundUnder(sessions, candidates));
    await rehash(
      found.flatMap((session) => session?.rehash ?? []),
      rehashSessions,
    );
    const results = found.map((match) => {
      const session = match?.record;
      return introspectSession(session, admissions.get(session?.org_id ?? ''));
    });
    return { verdicts: await Promise.all(results) };
  });

export const sessionUseCases = (hashOf: KeyHash) => [verifySessions(hashOf), getSession, switchOrganization, listSessions, endSession];
