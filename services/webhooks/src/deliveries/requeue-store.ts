import { isSuspendedInStore } from '@webkiln/org-policy';
import { retry } from '@webkiln/runtime';
import { acrossOrganizations, defineModel, isDuplicate, scoped, type Tenant, where } from '@webkiln/store';
import { recordWorking } from '../endpoints/endpoint-store.ts';
import type { DeliveryState, DeliveryStatus } from './delivery.ts';
import { DeliveryModel } from './delivery-store.ts';
import { keepBodiesOf } from './event-body-store.ts';

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

interface Range {
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

/**
 * Queues chosen deliveries, at the pace of replays. One with an attempt in flight stays as it is. Returns how many are
 * queued, and when the first is due.
 */
export async function requeueChosen(
  tenant: Tenant,
  chosen: readonly string[],
  { perSecond, retentionMs }: Pace,
): Promise<{ queued: number; begin: Date }> {
  const begin = await reserveReplaySpan(tenant, (chosen.length / perSecond) * 1000, new Date());
  let queued = 0;
  for (let at = 0; at < chosen.length; at += perSecond) {
    const ids = chosen.slice(at, at + perSecond);
    const dueAt = new Date(begin.getTime() + (at / perSecond) * 1000);
    const expireAt = new Date(dueAt.getTime() + retentionMs);
    await keepBodiesOf(tenant, ids, expireAt);
    const waiting = { _id: where({ $in: ids }), claim: null };
    queued += (await scoped(DeliveryModel, tenant).updateMany(waiting, restart(dueAt, expireAt))).matchedCount;
  }
  return { queued, begin };
}

/** A delivery that waits for its organization to be resumed. One with an attempt in flight has a due time. */
const heldBack = { status: 'pending' as const, due_at: null };

/** The same deliveries, but answered from an index alone: for `due_at: null` MongoDB reads each of them. */
const heldBackInIndex = { status: 'pending' as const, due_at: where<Date | null>({ $not: { $gte: new Date(0) } }) };

interface Pace {
  /** How many deliveries of an organization become due in one second. */
  readonly perSecond: number;
  readonly retentionMs: number;
}

/**
 * Makes the deliveries due that waited for their organization to be resumed. A process that did not know of that yet
 * may hold back one more, so this runs again and again; it reads one index entry for each endpoint that has some.
 */
export async function sweepHeldBack(pace: Pace): Promise<void> {
  for (const { key, org_id } of await acrossOrganizations(DeliveryModel).owners('endpoint_id', 'due_at', heldBackInIndex)) {
    if (!(await isSuspendedInStore(org_id))) await release({ org_id }, key, pace);
  }
}

/**
 * Releases an endpoint's deliveries, oldest first, each kept as long as a new one. Replays take turns with them. One
 * that is held back again meanwhile is left to the next sweep.
 */
async function release(tenant: Tenant, endpoint_id: string, { perSecond, retentionMs }: Pace): Promise<void> {
  // It failed before the suspension, and the days in which it got nothing are no failures.
  await recordWorking(tenant, endpoint_id);
  const deliveries = scoped(DeliveryModel, tenant);
  for (let from = ''; ; ) {
    const next = { endpoint_id, ...heldBack, created_at: where({ $gte: from }) };
    const found = await deliveries.find(next, { fields: ['created_at'], sort: { created_at: 1 }, limit: perSecond });
    if (found.length === 0) return;
    const due_at = await reserveReplaySpan(tenant, (found.length / perSecond) * 1000, new Date());
    const ids = found.map(({ _id }) => _id);
    const expire_at = new Date(due_at.getTime() + retentionMs);
    await keepBodiesOf(tenant, ids, expire_at);
    await deliveries.updateMany({ _id: where({ $in: ids }), ...heldBack }, { $set: { due_at }, $max: { expire_at } });
    from = found.at(-1)?.created_at ?? from;
  }
}

/** When the next delivery that an organization (`_id`) replays may be due. Deleted once that is past. */
interface ReplayPace {
  _id: string;
  org_id: string;
  next_at: Date;
}

const ReplayPaceModel = defineModel<ReplayPace>(
  'replay_paces',
  { next_at: { type: Date, required: true } },
  { exportedAs: null, indexesAcross: [[{ next_at: 1 }, { expireAfterSeconds: 0 }]] },
);

class Overtaken extends Error {}

/**
 * Reserves the next `spanMs` of an organization's replays. Returns when they begin: `now`, or after the replays
 * before it. Concurrent calls get spans that do not overlap.
 */
const reserveReplaySpan = (tenant: Tenant, spanMs: number, now: Date): Promise<Date> =>
  retry(() => tryToReserve(tenant, spanMs, now), {
    isRetryable: (error) => error instanceof Overtaken || isDuplicate(error, '_id'),
  });

async function tryToReserve(tenant: Tenant, spanMs: number, now: Date): Promise<Date> {
  const paces = scoped(ReplayPaceModel, tenant);
  const { org_id: _id } = tenant;
  const pace = await paces.findOne({ _id }, { fields: ['next_at'] });
  const begin = pace === null || pace.next_at < now ? now : pace.next_at;
  const next_at = new Date(begin.getTime() + spanMs);
  if (pace === null) await paces.insert({ _id, next_at });
  else if ((await paces.updateOne({ _id, next_at: pace.next_at }, { $set: { next_at } })).matchedCount === 0) throw new Overtaken();
  return begin;
}
