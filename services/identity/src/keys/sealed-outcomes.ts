import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Around, MethodName } from '@webkiln/rpc';

const showingSecrets: ReadonlySet<MethodName> = new Set(['identity.CreateKey', 'identity.RotateKey']);
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * A guard that keeps the replies of repeatable calls, made to keep those that show a secret encrypted: AES-256-GCM as
 * `nonce, tag, ciphertext` under a key per organization, derived from the pepper (HKDF, RFC 5869).
 */
export const sealedOutcomes =
  (guard: Around, pepper: Uint8Array): Around =>
  async (method, caller, run) => {
    if (!showingSecrets.has(method)) return guard(method, caller, run);
    const key = Buffer.from(hkdfSync('sha256', pepper, '', `outcomes of ${caller.principal.org_id}`, 32));
    const outcome = await guard(method, caller, async () => seal(key, await run()));
    return outcome instanceof Uint8Array ? open(key, outcome) : { ...outcome, bytes: open(key, outcome.bytes) };
  };

function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce);
  const sealed = Buffer.concat([sealing.update(bytes), sealing.final()]);
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]);
}

function open(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const opening = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([opening.update(sealed.subarray(nonceBytes + tagBytes)), opening.final()]);
}
