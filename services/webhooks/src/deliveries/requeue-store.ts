import { type Scope, scoped, where } from '@webkiln/store';
import type { DeliveryState, DeliveryStatus } from './delivery.ts';
import { DeliveryModel } from './delivery-store.ts';

const atOnce = 500;

/** A delivery whose schedule begins anew: it is due now, and kept as long as a new one. Its attempts stay to be seen. */
const anew = (now: Date, retentionMs: number) => ({
  $set: { status: 'pending', due_at: now, claim: null, attempt_count: 0, delivered_at: null } satisfies Partial<DeliveryState>,
  $max: { expire_at: new Date(now.getTime() + retentionMs) },
});

/** Queues one delivery; where an attempt is under way that is not over for it, nothing happens. */
export async function requeue(scope: Scope, _id: string, now: Date, retentionMs: number): Promise<void> {
  const deliveries = scoped(DeliveryModel, scope);
  const { matchedCount } = await deliveries.updateOne({ _id, claim: null }, anew(now, retentionMs));
  // Skipped while its attempt was under way: that one counts no more.
  if (matchedCount === 0) await deliveries.updateOne({ _id, status: where({ $ne: 'pending' }) }, anew(now, retentionMs));
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
  /** How many are queued at most. */
  readonly most: number;
  /** Epoch milliseconds, when it is time to answer. */
  readonly until: number;
}

/** Queues what came in a range, oldest first. `next` is when the first one came that is left, for which there was no room or no time. */
export async function requeueRange(
  scope: Scope,
  { endpointId, statuses, after, before }: Range,
  retentionMs: number,
  { most, until }: Bounds,
): Promise<{ queued: number; next: string | null }> {
  const deliveries = scoped(DeliveryModel, scope);
  const status = where({ $in: statuses });
  const came = { endpoint_id: endpointId, status, created_at: where({ $gte: after, $lt: before }) };
  const found = await deliveries.find(came, { fields: ['created_at'], sort: { created_at: 1 }, limit: most + 1 });
  let queued = 0;
  for (let at = 0; at < most && at < found.length; at += atOnce) {
    if (Date.now() > until) return { queued, next: found[at]?.created_at ?? null };
    const ids = found.slice(at, Math.min(at + atOnce, most)).map(({ _id }) => _id);
    const { matchedCount } = await deliveries.updateMany({ _id: where({ $in: ids }), status }, anew(new Date(), retentionMs));
    queued += matchedCount;
  }
  return { queued, next: found[most]?.created_at ?? null };
}
