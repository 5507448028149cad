import { createHash, randomUUID } from 'node:crypto';
import type { Caller, Idempotency } from '@webkiln/messages';

const seeds = new WeakMap<Idempotency, string>();

/** Sets a request's seed from its idempotency row: the same on every attempt, new for a new request. */
export function seedIds(idempotency: Idempotency, seed: string): void {
  seeds.set(idempotency, seed);
}

/**
 * The id of a record that this request creates; `label` distinguishes several. A UUID of version 8 (RFC 9562), the same
 * on every attempt of a repeatable request, so that a retry finds the record; otherwise random.
 */
export function newId(caller: Pick<Caller, 'idempotency'> | undefined, label = ''): string {
  const idempotency = caller?.idempotency;
  if (idempotency === undefined) return randomUUID();
  const bytes = createHash('sha256')
    .update(`${seeds.get(idempotency) ?? idempotency.id}\n${label}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
