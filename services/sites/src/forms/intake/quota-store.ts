import { defineModel, isDuplicate, type Scope, scoped, where } from '@webkiln/store';
import { LRUCache } from 'lru-cache';

/** Consumption of one quota in one window. */
interface Quota {
  _id: string;
  org_id: string;
  used: number;
  expire_at: Date;
}

export const QuotaModel = defineModel<Quota>(
  'form_quotas',
  { used: { type: Number, required: true }, expire_at: { type: Date, required: true } },
  { exportedAs: null, indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** MongoDB's clock may be ahead of ours, and must not end a window early. */
const clockSkewMs = 60_000;

interface QuotaLimit {
  /** The owner of the quota. It is stored, so it must not contain an address. */
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

/** The `max` up to which a window is used, of those that this process has found used up. */
const usedUp = new LRUCache<string, number>({ max: 10_000 });

/** True if this process knows that the quota is used up; asks nobody. */
export const isUsedUp = ({ key, max, windowMs }: QuotaLimit, now: Date): boolean =>
  max <= (usedUp.get(windowOf(key, windowMs, now)._id) ?? 0);

/** Consumes one unit in the current fixed window, atomically across replicas. Returns false if the quota is used up. */
export async function consumeQuota(scope: Scope, limit: QuotaLimit, now: Date): Promise<boolean> {
  const { key, max, windowMs } = limit;
  if (isUsedUp(limit, now)) return false;
  const { _id, endsAt } = windowOf(key, windowMs, now);
  const belowMax = { _id, used: where({ $lt: max }) };
  const quotas = scoped(QuotaModel, scope);
  const increment = { $inc: { used: 1 } };
  if ((await quotas.updateOne(belowMax, increment)).matchedCount === 1) return true;
  try {
    await quotas.insert({ _id, used: 1, expire_at: new Date(endsAt + clockSkewMs) });
    return true;
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
  // Either the quota is used up, or a concurrent request inserted the window first.
  const isConsumed = (await quotas.updateOne(belowMax, increment)).matchedCount === 1;
  if (!isConsumed) usedUp.set(_id, max);
  return isConsumed;
}

/** The use of the quota in the current window. */
export async function usedOf(scope: Scope, { key, windowMs }: Omit<QuotaLimit, 'max'>, now: Date): Promise<number> {
  const { _id } = windowOf(key, windowMs, now);
  return (await scoped(QuotaModel, scope).findOne({ _id }, { fields: ['used'] }))?.used ?? 0;
}

function windowOf(key: string, windowMs: number, now: Date) {
  const window = Math.floor(now.getTime() / windowMs);
  return { _id: `${key} ${windowMs} ${window}`, endsAt: (window + 1) * windowMs };
}
