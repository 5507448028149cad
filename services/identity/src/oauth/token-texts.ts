import { createHmac, hash, randomBytes } from 'node:crypto';
import { oauthTokenTexts, refreshTokenTexts } from '@webkiln/contract';
import type { SecretList } from '@webkiln/runtime';
import { organizationKeys } from '@webkiln/sealing';
import type { Hashes, KeyHash } from '../keys/key-secret.ts';

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
