import { createHmac, randomBytes } from 'node:crypto';
import type { CredentialText, CredentialTexts } from '@webkiln/contract';

/** What is stored for a credential, made of its SHA-256 (base64url): worthless to who has the database and not the pepper. */
export type KeyHash = (digest: string) => string;

/** What is kept of a credential's text: never the text. */
export interface KeptSecret {
  readonly prefix: string;
  readonly hash: string;
}

/** A new credential's text, and what of it is kept. */
export interface NewSecret<P extends string> {
  readonly secret: CredentialText<P>;
  readonly kept: KeptSecret;
}

/** HMAC-SHA256 (RFC 2104) over the digest's bytes, base64url. */
export const keyHash =
  (pepper: Uint8Array): KeyHash =>
  (digest) =>
    createHmac('sha256', pepper).update(digest, 'base64url').digest('base64url');

export function newSecret<P extends string>(hashOf: KeyHash, { format, shown, digest }: CredentialTexts<P>): NewSecret<P> {
  const secret = format(randomBytes(32));
  return { secret, kept: { prefix: shown(secret), hash: hashOf(digest(secret)) } };
}
