import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { Idempotency } from '@webkiln/messages';

const maxKeyBytes = 255;

/**
 * Identifies a POST so that a retry repeats no effect: by its Idempotency-Key, or by a digest of its body without one.
 * Throws `validation_failed` unless the key has 1 to 255 bytes.
 */
export function idempotencyOf(request: IncomingMessage, keyId: string, path: string, body: Buffer): Idempotency {
  const sent = request.headers['idempotency-key'];
  const bodyDigest = hash('sha256', body, 'base64url');
  if (sent === undefined) return { id: digest(['implicit', keyId, path, bodyDigest]), body: bodyDigest, explicit: false };
  const key = String(sent);
  if (key === '' || Buffer.byteLength(key) > maxKeyBytes) {
    throw new AppError('validation_failed', [{ path: 'Idempotency-Key', message: `must have 1 to ${maxKeyBytes} bytes` }]);
  }
  return { id: digest(['explicit', keyId, path, key]), body: bodyDigest, explicit: true };
}

/** JSON keeps the parts apart: without it, different lists could have the same digest. */
const digest = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'base64url');
