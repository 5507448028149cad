import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { Idempotency } from '@webkiln/rpc';

const mostKeyBytes = 255;

/**
 * What makes this POST repeatable: its Idempotency-Key, or its body where it has none.
 * Throws `validation_failed` for a key that is empty or too long.
 */
export function idempotencyOf(request: IncomingMessage, keyId: string, path: string, body: Buffer): Idempotency {
  const sent = request.headers['idempotency-key'];
  const bodyDigest = hash('sha256', body, 'base64url');
  if (sent === undefined) return { id: digest(['implicit', keyId, path, bodyDigest]), body: bodyDigest, explicit: false };
  const key = String(sent);
  if (key === '' || Buffer.byteLength(key) > mostKeyBytes) {
    throw new AppError('validation_failed', [{ path: 'Idempotency-Key', message: `must have 1 to ${mostKeyBytes} bytes` }]);
  }
  return { id: digest(['explicit', keyId, path, key]), body: bodyDigest, explicit: true };
}

/** The parts as JSON, so that no two different lists of them read the same. */
const digest = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts), 'base64url');
