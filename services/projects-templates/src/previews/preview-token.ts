import { createHmac, hash } from 'node:crypto';

const minuteMs = 60_000;
const windowMs = 30 * minuteMs;
const lifetimeMs = 60 * minuteMs;

/** RFC 4648 §6, in lower case because the token is part of a host name. */
const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const tokenLength = 26;

export interface PreviewToken {
  /** 26 base32 characters (130 bits): one label of a host name. */
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Derives a project's preview token at `now`. The token is the same within a half hour, so that a GET is safe to
 * repeat, and an HMAC, so that it cannot be guessed. It expires an hour after its half hour began, so it stays valid
 * for at least 30 minutes.
 */
export function createPreviewToken(
  secret: string,
  { org_id, project_id }: { org_id: string; project_id: string },
  now: Date,
): PreviewToken {
  const window = Math.floor(now.getTime() / windowMs);
  const mac = createHmac('sha256', secret).update(`preview\n${org_id}\n${project_id}\n${window}`).digest();
  return { token: base32(mac), expiresAt: new Date(window * windowMs + lifetimeMs) };
}

/** The SHA-256 of a token. Only this hash is stored, so the database reveals no token. */
export const previewTokenHash = (token: string): string => hash('sha256', token);

function base32(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  return Array.from({ length: tokenLength }, () => {
    const character = base32Alphabet[Number(bits & 31n)];
    bits >>= 5n;
    return character;
  }).join('');
}
