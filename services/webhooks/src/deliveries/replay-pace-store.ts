import { retry } from '@webkiln/runtime';
import { defineModel, isDuplicate, scoped, type Tenant } from '@webkiln/store';

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
export const reserveReplaySpan = (tenant: Tenant, spanMs: number, now: Date): Promise<Date> =>
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
