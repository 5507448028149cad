import { createHmac, hash, randomBytes } from 'node:crypto';
import { oauthTokenTexts, refreshTokenTexts } from '@webkiln/contract';
import type { SecretList } from '@webkiln/runtime';
import { organizationKeys } from '@webkiln/sealing';
import { defineGlobalModel, type GlobalStored, isDuplicate, unscoped, where } from '@webkiln/store';
import type { Hashes, KeyHash } from '../../keys/key-secret.ts';

export type TokenKind = 'code' | 'refresh' | 'access';

/** An authorization code or token. `_id` is its hash under the pepper: useless to a thief of the database alone. */
interface TokenState {
  _id: string;
  kind: TokenKind;
  org_id: string;
  grant_id: string;
  /** The library's token record as JSON, without the token itself. */
  payload: string;
  expires_at: Date;
  /** When a code or refresh token was used; each is good for one use. */
  consumed_at: Date | null;
}

export type Token = GlobalStored<TokenState>;

/** How long a used refresh token is remembered, so that a later use is detected. */
const rememberedMs = 14 * 24 * 3_600_000;

// Global: a token is looked up before its organization is known.
const TokenModel = defineGlobalModel<TokenState>(
  'oauth_tokens',
  {
    kind: { type: String, required: true },
    org_id: { type: String, required: true },
    grant_id: { type: String, required: true },
    payload: { type: String, required: true },
    expires_at: { type: Date, required: true },
    consumed_at: { type: Date, default: null },
  },
  { exportedAs: null, indexes: [[{ org_id: 1 }], [{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/**
 * Adds a token under the first of its ids. A retried refresh adds the same one again, which then stays as it is, under
 * whichever id it has.
 */
export async function insertToken(ids: Hashes, token: Omit<TokenState, '_id' | 'consumed_at'>): Promise<void> {
  const [_id, ...older] = ids;
  if (older.length > 0 && (await tokenBy(ids, token.kind)) !== null) return;
  await unscoped(TokenModel)
    .insert({ ...token, _id, consumed_at: null })
    .catch((error: unknown) => {
      if (!isDuplicate(error, '_id')) throw error;
    });
}

export const tokenBy = (ids: Hashes, kind: TokenKind): Promise<Token | null> =>
  unscoped(TokenModel).findOne({ _id: where({ $in: [...ids] }), kind });

/** Access tokens that have not expired, by their hashes; others are absent. */
export async function accessTokensBy(hashes: readonly string[]): Promise<Map<string, Token>> {
  const filter = { _id: where({ $in: [...hashes] }), kind: 'access' as const, expires_at: where({ $gt: new Date() }) };
  return new Map((await unscoped(TokenModel).find(filter)).map((token) => [token._id, token]));
}

/** Marks a code or refresh token as used. False if it was used before: of concurrent uses one gets true. */
export async function consumeToken({ _id, kind, expires_at }: Token, now: Date): Promise<boolean> {
  const until = kind === 'code' ? expires_at : new Date(Math.min(expires_at.getTime(), now.getTime() + rememberedMs));
  const change = { $set: { consumed_at: now, expires_at: until } };
  return (await unscoped(TokenModel).updateOne({ _id, consumed_at: null }, change)).matchedCount === 1;
}

export const deleteTokens = (ids: Hashes): Promise<unknown> => Promise.all(ids.map((_id) => unscoped(TokenModel).deleteOne({ _id })));

const textsOf = { access: oauthTokenTexts, refresh: refreshTokenTexts };

/** The texts of tokens, and the hashes under which they are stored. */
export interface TokenTexts {
  /** A random token. */
  create(kind: 'access' | 'refresh'): string;
  /**
   * The token that replaces a refresh token, the same one each time, so that a repeated refresh gets the same answer;
   * then those that replicas with another first secret issue.
   */
  successors(kind: 'access' | 'refresh', refreshToken: string): SecretList;
  /** The `_id` of a new code or token, then those under older peppers; the gateway sends an access token's digest. */
  idsOf(text: string): Hashes;
}

export function tokenTexts(secrets: SecretList, hashOf: KeyHash): TokenTexts {
  const [current, ...older] = organizationKeys(secrets, 'successors of refresh tokens');
  return {
    create: (kind) => textsOf[kind].format(randomBytes(32)),
    successors(kind, refreshToken) {
      const under = (key: Uint8Array) => textsOf[kind].format(createHmac('sha256', key).update(`${kind} after ${refreshToken}`).digest());
      return [under(current), ...older.map(under)];
    },
    idsOf: (text) => hashOf.all(hash('sha256', text, 'base64url')),
  };
}
