import { type Scope, scoped, where } from '@webkiln/store';
import type { DeliveryState, DeliveryStatus } from './delivery.ts';
import { DeliveryModel } from './delivery-store.ts';

const batchSize = 500;

/** Restarts a delivery's schedule: it is due now and kept as long as a new one. Its earlier attempts remain visible. */
const restart = (now: Date, retentionMs: number) => ({
  $set: { status: 'pending', due_at: now, claim: null, attempt_count: 0, delivered_at: null } satisfies Partial<DeliveryState>,
  $max: { expire_at: new Date(now.getTime() + retentionMs) },
});

/** Queues one delivery; a pending one with an attempt in flight stays as it is. */
export async function requeue(scope: Scope, _id: string, now: Date, retentionMs: number): Promise<void> {
  const deliveries = scoped(DeliveryModel, scope);
  const { matchedCount } = await deliveries.updateOne({ _id, claim: null }, restart(now, retentionMs));
  // Skipped while its attempt was in flight: that attempt no longer counts.
  if (matchedCount === 0) await deliveries.updateOne({ _id, status: where({ $ne: 'pending' }) }, restart(now, retentionMs));
}

export interface Range {
  readonly endpointId: string;
  readonly statuses: readonly DeliveryStatus[];
  /** ISO 8601 in UTC; inclusive. */
  readonly after: string;
  /** Exclusive. */
  readonly before: string;
}

interface Bounds {
  readonly max: number;
  /** Epoch milliseconds; queueing stops then. */
  readonly until: number;
}

/**
 * Queues the deliveries created in a range, oldest first. `next` is the creation time of the first one left, beyond
 * `max` or `until`.
 */
export async function requeueRange(
  scope: Scope,
  { endpointId, statuses, after, before }: Range,
  retentionMs: number,
  { max, until }: Bounds,
): Promise<{ queued: number; next: string | null }> {
  const deliveries = scoped(DeliveryModel, scope);
  const status = where({ $in: statuses });
  const inRange = { endpoint_id: endpointId, status, created_at: where({ $gte: after, $lt: before }) };
  const found = await deliveries.find(inRange, { fields: ['created_at'], sort: { created_at: 1 }, limit: max + 1 });
  let queued = 0;
  for (let at = 0; at < max && at < found.length; at += batchSize) {
    if (Date.now() > until) return { queued, next: found[at]?.created_at ?? null };
    const ids = found.slice(at, Math.min(at + batchSize, max)).map(({ _id }) => _id);
    const { matchedCount } = await deliveries.updateMany({ _id: where({ $in: ids }), status }, restart(new Date(), retentionMs));
    queued += matchedCount;
  }
  return { queued, next: found[max]?.created_at ?? null };
}
