import { createHash, randomUUID } from 'node:crypto';
import type { Caller, Idempotency } from '@webkiln/rpc';

const seeds = new WeakMap<Idempotency, string>();

/** Gives a request the seed of the record that the idempotency guard keeps for it: the same on every attempt, new for a new request. */
export function seedIds(idempotency: Idempotency, seed: string): void {
  seeds.set(idempotency, seed);
}

/**
 * A UUID for what this request makes; `label` tells several of them apart. Version 8 (RFC 9562) and the same on every attempt where
 * the request can be retried, so that a retry finds what an earlier attempt made; random else.
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
