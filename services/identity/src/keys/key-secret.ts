import { createHmac, randomBytes } from 'node:crypto';
import { type ApiKey, apiKeyDigest, apiKeyPrefix, formatApiKey } from '@webkiln/contract';

/** What is stored for a key, made of its SHA-256 (base64url): worthless to who has the database and not the pepper. */
export type KeyHash = (digest: string) => string;

/** A new key's text, and what of it is kept. */
export interface KeySecret {
  readonly secret: ApiKey;
  readonly kept: { readonly prefix: string; readonly hash: string };
}

/** HMAC-SHA256 (RFC 2104) over the digest's bytes, base64url. */
export const keyHash =
  (pepper: Uint8Array): KeyHash =>
  (digest) =>
    createHmac('sha256', pepper).update(digest, 'base64url').digest('base64url');

export function newSecret(hashOf: KeyHash): KeySecret {
  const secret = formatApiKey(randomBytes(32));
  return { secret, kept: { prefix: apiKeyPrefix(secret), hash: hashOf(apiKeyDigest(secret)) } };
}
