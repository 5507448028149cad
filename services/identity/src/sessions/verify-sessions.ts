import { handle } from '@webkiln/rpc';
import { accountById } from '../accounts/account-store.ts';
import { assertInternal } from '../authorize.ts';
import { foundUnder, type KeyHash, rehash } from '../keys/key-secret.ts';
import type { OrganizationAdmission } from '../organizations/org-policy.ts';
import { admissionsOf } from '../organizations/organization-store.ts';
import { currentMembership } from './memberships.ts';
import type { Membership, SessionState } from './session.ts';
import { rehashSessions, sessionsByHash } from './session-store.ts';

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
export const needsSecondFactor = async (
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
