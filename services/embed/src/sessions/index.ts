import { AppError } from '@webkiln/contract';
import { auditEvent, onBehalf } from '@webkiln/messages';
import { suspensionOf } from '@webkiln/org-policy';
import { call, handle } from '@webkiln/rpc';
import { saveWithRetry } from '@webkiln/store';
import { toEmbedSession } from './embed-session.ts';
import { type EmbedSessionRecord, liveSession, revoked, saveSession, sessionPage, workingSessionsByHash } from './embed-session-store.ts';
import { openEmbedSession } from './open-embed-session.ts';

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
const verifyEmbedTokens = handle('embed.VerifyEmbedTokens', async ({ token_digests }) => {
  const sessions = await workingSessionsByHash(token_digests);
  return { verdicts: await Promise.all(token_digests.map((digest) => verdictOf(sessions.get(digest)))) };
});

/** For the builder: what the token opens, and whose name it bears. */
const getEmbedSession = (origin: string) =>
  handle('embed.GetEmbedSession', async (_request, caller) => {
    const { org_id, credential_id } = caller.principal;
    const session = await liveSession({ org_id }, credential_id);
    if (session === null) throw new AppError('invalid_embed_token');
    const { brand } = await call('identity.GetBrand', {}, onBehalf('embed', caller));
    const logo_url = brand?.logo_url === undefined ? undefined : `${origin}${brand.logo_url}`;
    return { embed_session: toEmbedSession(session), theme: { name: brand?.name ?? '', accent_color: brand?.accent_color, logo_url } };
  });

const listEmbedSessions = handle('embed.ListEmbedSessions', async (page, caller) => {
  const { records, total, next_cursor } = await sessionPage(caller, page);
  return { embed_sessions: records.map(toEmbedSession), total, next_cursor };
});

const revokeEmbedSession = handle('embed.RevokeEmbedSession', ({ embed_session_id: id }, caller) =>
  saveWithRetry(caller, async () => {
    const session = await liveSession(caller, id);
    if (session === null) throw new AppError('embed_session_not_found');
    const target = { kind: 'embed_session', id, name: session.external_user_id };
    await saveSession(caller, session, revoked(), [auditEvent(caller, 'embed_session.revoked', target)]);
    return { deleted: true, id };
  }),
);

export const sessionUseCases = (origin: string) => [
  verifyEmbedTokens,
  openEmbedSession,
  getEmbedSession(origin),
  listEmbedSessions,
  revokeEmbedSession,
];
