import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * The key of an organization for one purpose ("outcomes of <org_id>"), derived from a master key of at least 32 bytes
 * (HKDF-SHA256, RFC 5869).
 */
export const organizationKey = (master: Uint8Array | string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', master, '', purpose, keyBytes));

/** The keys of one purpose under each of several master keys, in their order. */
export const organizationKeys = <T extends Uint8Array | string>([first, ...older]: readonly [T, ...T[]], purpose: string): Keys => [
  organizationKey(first, purpose),
  ...older.map((master) => organizationKey(master, purpose)),
];

type Keys = readonly [Uint8Array, ...Uint8Array[]];

/** AES-256-GCM (NIST SP 800-38D) with a random nonce: `nonce, tag, ciphertext`. */
export function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce);
  const sealed = Buffer.concat([sealing.update(bytes), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]);
}

/** The plain text. Throws if another key sealed it or it was changed. */
export function open(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()]);
}

/** The plain text, and whether the first key sealed it. Throws if none of the keys did, or it was changed. */
export function openUnder([key, ...older]: Keys, sealed: Uint8Array): { readonly bytes: Uint8Array; readonly isCurrent: boolean } {
  try {
    return { bytes: open(key, sealed), isCurrent: true };
  } catch (error) {
    const [next, ...others] = older;
    if (next === undefined) throw error;
    return { bytes: openUnder([next, ...others], sealed).bytes, isCurrent: false };
  }
}
