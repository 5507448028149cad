import { createHmac, randomBytes } from 'node:crypto';
import type { CredentialText, CredentialTexts } from '@webkiln/contract';

/** Turns a credential's SHA-256 (base64url) into the stored hash, which is useless without the pepper. */
export type KeyHash = (digest: string) => string;

/** The stored part of a credential. Its text is never stored. */
export interface StoredSecret {
  readonly prefix: string;
  readonly hash: string;
}

/** A new credential's text and its stored part. */
export interface NewSecret<P extends string> {
  readonly secret: CredentialText<P>;
  readonly stored: StoredSecret;
}

/** HMAC-SHA256 (RFC 2104) over the digest's bytes, base64url. */
export const keyHash =
  (pepper: Uint8Array): KeyHash =>
  (digest) =>
    createHmac('sha256', pepper).update(digest, 'base64url').digest('base64url');

export function newSecret<P extends string>(hashOf: KeyHash, { format, shown, digest }: CredentialTexts<P>): NewSecret<P> {
  const secret = format(randomBytes(32));
  return { secret, stored: { prefix: shown(secret), hash: hashOf(digest(secret)) } };
}
