import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import { oauthTokenTexts, refreshTokenTexts } from '@webkiln/contract';
import type { Hashes, KeyHash } from '../keys/key-secret.ts';

const textsOf = { access: oauthTokenTexts, refresh: refreshTokenTexts };

/** The texts of tokens, and the hashes under which they are stored. */
export interface TokenTexts {
  /** A random token. */
  create(kind: 'access' | 'refresh'): string;
  /**
   * The token that replaces a refresh token: the same one each time, so that a repeated refresh gets the same answer.
   */
  successor(kind: 'access' | 'refresh', refreshToken: string): string;
  /** The `_id` of a new code or token, then those under older peppers; the gateway sends an access token's digest. */
  idsOf(text: string): Hashes;
}

export function tokenTexts(secret: string, hashOf: KeyHash): TokenTexts {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'successors of refresh tokens', 32));
  return {
    create: (kind) => textsOf[kind].format(randomBytes(32)),
    successor: (kind, refreshToken) => textsOf[kind].format(createHmac('sha256', key).update(`${kind} after ${refreshToken}`).digest()),
    idsOf: (text) => hashOf.all(hash('sha256', text, 'base64url')),
  };
}
