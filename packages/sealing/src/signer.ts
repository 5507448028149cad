import { type BinaryToTextEncoding, createHmac, timingSafeEqual } from 'node:crypto';

type Secret = string | Uint8Array;

/** HMAC-SHA256 (RFC 2104) under a list of secrets: the first one signs, each verifies what was signed with it. */
export interface Signer {
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
}

/** Signatures are base64url unless `encoding` says otherwise. */
export function signer(secrets: readonly [Secret, ...Secret[]], encoding: BinaryToTextEncoding = 'base64url'): Signer {
  const under = (secret: Secret, text: string) => createHmac('sha256', secret).update(text).digest(encoding);
  return {
    sign: (text) => under(secrets[0], text),
    isSigned: (text, signature) => secrets.some((secret) => isSame(signature, under(secret, text))),
  };
}

/** The parts of `<payload>.<signature>`; the payload is empty if there is no dot. */
export function splitSigned(token: string): [payload: string, signature: string] {
  const at = token.lastIndexOf('.');
  return [token.slice(0, Math.max(at, 0)), token.slice(at + 1)];
}

function isSame(given: string, genuine: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(genuine)];
  return a.length === b.length && timingSafeEqual(a, b);
}
