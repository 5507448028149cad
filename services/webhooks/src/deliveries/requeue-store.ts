import { scoped, type Tenant, where } from '@webkiln/store';
import type { DeliveryState, DeliveryStatus } from './delivery.ts';
import { DeliveryModel } from './delivery-store.ts';
import { keepBodiesOf } from './event-body-store.ts';
import { reserveReplaySpan } from './replay-pace-store.ts';

/** Restarts a delivery's schedule. It is kept as long as a new one, and its earlier attempts remain visible. */
const restart = (dueAt: Date, expire_at: Date) => ({
  $set: { status: 'pending', due_at: dueAt, claim: null, attempt_count: 0, delivered_at: null } satisfies Partial<DeliveryState>,
  $max: { expire_at },
});

/** Queues one delivery; a pending one with an attempt in flight stays as it is. */
export async function requeue(tenant: Tenant, _id: string, now: Date, retentionMs: number): Promise<void> {
  const deliveries = scoped(DeliveryModel, tenant);
  const expireAt = new Date(now.getTime() + retentionMs);
  await keepBodiesOf(tenant, [_id], expireAt);
  const { matchedCount } = await deliveries.updateOne({ _id, claim: null }, restart(now, expireAt));
  // Skipped while its attempt was in flight: that attempt no longer counts.
  if (matchedCount === 0) await deliveries.updateOne({ _id, status: where({ $ne: 'pending' }) }, restart(now, expireAt));
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
  /** How many deliveries of an organization become due in one second. */
  readonly perSecond: number;
  /** Epoch milliseconds; queueing stops then. */
  readonly until: number;
}

/**
 * Queues the deliveries created in a range, oldest first, `perSecond` for each second from `begin` on, so that a
 * replay of any size leaves the dispatcher to others. `next` is the creation time of the first one left, beyond
 * `max` or `until`.
 */
export async function requeueRange(
  tenant: Tenant,
  { endpointId, statuses, after, before }: Range,
  retentionMs: number,
  { max, perSecond, until }: Bounds,
): Promise<{ queued: number; next: string | null; begin: Date }> {
  const deliveries = scoped(DeliveryModel, tenant);
  const status = where({ $in: statuses });
  const inRange = { endpoint_id: endpointId, status, created_at: where({ $gte: after, $lt: before }) };
  const found = await deliveries.find(inRange, { fields: ['created_at'], sort: { created_at: 1 }, limit: max + 1 });
  const spanMs = (Math.min(found.length, max) / perSecond) * 1000;
  const begin = await reserveReplaySpan(tenant, spanMs, new Date());
  let queued = 0;
  for (let at = 0; at < max && at < found.length; at += perSecond) {
    if (Date.now() > until) return { queued, next: found[at]?.created_at ?? null, begin };
    const ids = found.slice(at, Math.min(at + perSecond, max)).map(({ _id }) => _id);
    const dueAt = new Date(begin.getTime() + (at / perSecond) * 1000);
    const expireAt = new Date(dueAt.getTime() + retentionMs);
    await keepBodiesOf(tenant, ids, expireAt);
    const { matchedCount } = await deliveries.updateMany({ _id: where({ $in: ids }), status }, restart(dueAt, expireAt));
    queued += matchedCount;
  }
  return { queued, next: found[max]?.created_at ?? null, begin };
}
