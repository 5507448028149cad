import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { currentMembership } from './memberships.ts';
import type { SessionState } from './session.ts';
import { sessionsByHash } from './session-store.ts';

const refused = { valid: false };

/** What gateways are told: of a session that does not last, or whose account is out of its organization, no more than that. */
async function verdictOn(session: SessionState | undefined) {
  if (session === undefined) return refused;
  const membership = await currentMembership(session);
  if (membership === null && session.org_id !== '') return refused;
  return {
    valid: true,
    session_id: session._id,
    account_id: session.account_id,
    org_id: session.org_id,
    role: membership?.role,
    user_id: membership?.kind === 'user' ? membership.id : undefined,
    client_id: membership?.client_id,
    expires_at: session.expires_at.toISOString(),
  };
}

export const verifySessions = (hashOf: KeyHash) =>
  handle('identity.VerifySessions', async ({ session_digests }, caller) => {
    assertInternal(caller);
    const hashes = session_digests.map(hashOf);
    const sessions = await sessionsByHash(hashes);
    return { verdicts: await Promise.all(hashes.map((hash) => verdictOn(sessions.get(hash)))) };
  });
