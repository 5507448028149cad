import { handle } from '@webkiln/rpc';
import { suspensionOf } from '@webkiln/standing';
import { type EmbedSessionRecord, workingSessionsByHash } from './embed-session-store.ts';

async function verdictOf(session: EmbedSessionRecord | undefined) {
  if (session === undefined) return { valid: false };
  const { _id, org_id, user_id, org_client_id, expires_at } = session;
  return {
    valid: true,
    session_id: _id,
    org_id,
    user_id,
    client_id: org_client_id ?? undefined,
    expires_at: expires_at.toISOString(),
    suspended: (await suspensionOf(org_id)).suspended,
  };
}

/** The introspection result (RFC 7662) of embed tokens. */
export const verifyEmbedTokens = handle('embed.VerifyEmbedTokens', async ({ token_digests }) => {
  const sessions = await workingSessionsByHash(token_digests);
  return { verdicts: await Promise.all(token_digests.map((digest) => verdictOf(sessions.get(digest)))) };
});
