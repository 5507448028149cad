import { createHmac, hash } from 'node:crypto';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How long a token is the same, and how long it lives from the beginning of that time. */
const ofDraft = { windowMs: 30 * minuteMs, lifetimeMs: 60 * minuteMs };
/** The files of a version stay as they are, so its address is one to pass on. */
const ofVersion = { windowMs: dayMs, lifetimeMs: 8 * dayMs };

/** RFC 4648 §6, in lower case because the token is part of a host name. */
const base32Alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const tokenLength = 26;

export interface PreviewToken {
  /** 26 base32 characters (130 bits): one label of a host name. */
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * Derives the token of a project's preview at `now`, or of that of one version. The token is the same within a half
 * hour, that of a version within a day, so that a GET is safe to repeat, and an HMAC, so that it cannot be guessed. It
 * expires an hour after its half hour began, 8 days after its day.
 */
export function createPreviewToken(
  secret: string,
  { org_id, project_id, version_id }: { org_id: string; project_id: string; version_id?: string | undefined },
  now: Date,
): PreviewToken {
  const { windowMs, lifetimeMs } = version_id === undefined ? ofDraft : ofVersion;
  const window = Math.floor(now.getTime() / windowMs);
  const shown = version_id === undefined ? '' : `\nversion ${version_id}`;
  const mac = createHmac('sha256', secret).update(`preview\n${org_id}\n${project_id}\n${window}${shown}`).digest();
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
