import { isSuspendedInStore } from '@webkiln/standing';
import { acrossOrganizations, scoped, type Tenant, where } from '@webkiln/store';
import { recordWorking } from '../endpoints/endpoint-health-store.ts';
import { DeliveryModel } from './delivery-store.ts';
import { keepBodiesOf } from './event-body-store.ts';
import { reserveReplaySpan } from './replay-pace-store.ts';

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
