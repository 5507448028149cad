import { createHmac, hash } from 'node:crypto';

const minuteMs = 60_000;
const slotMs = 30 * minuteMs;
const lifeMs = 60 * minuteMs;

/** RFC 4648 §6, in lower case as it stands in a host's name. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567';
const length = 26;

/** What a preview is found by. */
export interface PreviewToken {
  /** 26 base32 characters, 130 bits: one label of a host's name. */
  readonly token: string;
  readonly expiresAt: Date;
}

/**
 * The token of a project at a moment. One for each half hour, so that asking is safe to repeat, made of a secret, so that nobody else can tell
 * it; it lives for an hour from the beginning of its half hour, so whoever asks has it for half an hour at least.
 */
export function previewToken(secret: string, { org_id, project_id }: { org_id: string; project_id: string }, now: Date): PreviewToken {
  const slot = Math.floor(now.getTime() / slotMs);
  const mac = createHmac('sha256', secret).update(`preview\n${org_id}\n${project_id}\n${slot}`).digest();
  return { token: base32(mac), expiresAt: new Date(slot * slotMs + lifeMs) };
}

/** What is kept of a token: none can be had from it. */
export const previewTokenHash = (token: string): string => hash('sha256', token);

function base32(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  return Array.from({ length }, () => {
    const letter = letters[Number(bits & 31n)];
    bits >>= 5n;
    return letter;
  }).join('');
}
