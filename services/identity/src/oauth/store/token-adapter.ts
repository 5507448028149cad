import { type AdapterPayload, errors } from 'oidc-provider';
import type { TokenTexts } from '../token-texts.ts';
import { keepClient } from './client-store.ts';
import { endGrant } from './end-grant.ts';
import { liveGrant, renewGrant } from './grant-store.ts';
import { storedAdapter } from './stored-adapter.ts';
import { consumeToken, deleteTokens, insertToken, type Token, type TokenKind, tokenBy } from './token-store.ts';

/**
 * A used refresh token may be sent again for so long: a client that lost the answer repeats its request. It gets the
 * same tokens, so a thief who does so has nothing that the client has not, and the next refresh of either reveals it.
 */
const retryMs = 30_000;

/** Codes, refresh tokens and access tokens. Every use of a used one ends its grant, and with it all of its tokens. */
export function tokenAdapter(kind: TokenKind, texts: TokenTexts) {
  const stored = (text: string) => tokenBy(texts.idsOf(text), kind);

  /** True if a used refresh token is sent again by a client that has not used its successor. */
  async function isRetry({ consumed_at }: Token, text: string): Promise<boolean> {
    if (kind !== 'refresh' || consumed_at === null || Date.now() - consumed_at.getTime() > retryMs) return false;
    const successors = await Promise.all(texts.successors('refresh', text).map(stored));
    return successors.every((successor) => successor === null || successor.consumed_at === null);
  }

  return storedAdapter({
    async upsert(text, { jti: _text, ...payload }, expiresIn) {
      const grant = await liveGrant(payload.grantId ?? '');
      if (grant === null) throw new errors.InvalidGrant('the authorization was revoked');
      const expires_at = new Date(Date.now() + expiresIn * 1000);
      const { _id: grant_id, org_id } = grant;
      await insertToken(texts.idsOf(text), { kind, org_id, grant_id, payload: JSON.stringify(payload), expires_at });
      if (kind === 'refresh') await Promise.all([renewGrant(grant_id), keepClient(grant.client_id)]);
    },
    async find(text) {
      const token = await stored(text);
      if (token === null) return undefined;
      const payload: AdapterPayload = { ...JSON.parse(token.payload), jti: text };
      return token.consumed_at === null || (await isRetry(token, text)) ? payload : { ...payload, consumed: true };
    },
    async consume(text) {
      const token = await stored(text);
      if (token === null) throw new errors.InvalidGrant('it has expired');
      if (await consumeToken(token, new Date())) return;
      const current = await stored(text);
      if (current !== null && (await isRetry(current, text))) return;
      await endGrant(token.grant_id);
      throw new errors.InvalidGrant('it was used before');
    },
    destroy: async (text) => void (await deleteTokens(texts.idsOf(text))),
    revokeByGrantId: endGrant,
  });
}
