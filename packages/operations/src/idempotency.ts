import { hash } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { Idempotency } from '@webkiln/messages';

const maxKeyBytes = 255;

/** A write that may be repeated. */
export interface Repeatable {
  /** The caller's Idempotency-Key; undefined if it sent none. */
  readonly key: string | undefined;
  /** The caller's name for the key: a header, or an argument. */
  readonly keyName: string;
  readonly credentialId: string;
  /** Where the request goes: the same key may be used once at each path. */
  readonly path: string;
  readonly body: string | Uint8Array;
}

/**
 * Identifies a write so that a retry repeats no effect: by its Idempotency-Key, or by a digest of its body without one.
 * Throws `validation_failed` unless the key has 1 to 255 bytes.
 */
export function idempotencyFor({ key, keyName, credentialId, path, body }: Repeatable): Idempotency {
  const bodyDigest = hash('sha256', body, 'base64url');
  if (key === undefined) return { id: digest(['implicit', credentialId, path, bodyDigest]), body: bodyDigest, explicit: false };
  if (key === '' || Buffer.byteLength(key) > maxKeyBytes) {
    throw new AppError('validation_failed', [{ path: keyName, message: `must have 1 to ${maxKeyBytes} bytes` }]);
  }
  return { id: digest(['explicit', credentialId, path, key]), body: bodyDigest, explicit: true };
}

/** JSON keeps the parts apart: without it, different lists could have the same digest. */
const digest = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'base64url');
