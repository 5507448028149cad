import { joinedShareOf } from '@webkiln/messages';
import { limitOf, type Quota } from '@webkiln/org-policy';
import { defineModel, isDuplicate, type Scope, scoped, type Tenant, where } from '@webkiln/store';
import { LRUCache } from 'lru-cache';

/** Consumption of one quota in one window. */
interface QuotaUse {
  _id: string;
  org_id: string;
  used: number;
  expire_at: Date;
}

export const QuotaModel = defineModel<QuotaUse>(
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
async function usedOf(scope: Scope, { key, windowMs }: Omit<QuotaLimit, 'max'>, now: Date): Promise<number> {
  const { _id } = windowOf(key, windowMs, now);
  return (await scoped(QuotaModel, scope).findOne({ _id }, { fields: ['used'] }))?.used ?? 0;
}

function windowOf(key: string, windowMs: number, now: Date) {
  const window = Math.floor(now.getTime() / windowMs);
  return { _id: `${key} ${windowMs} ${window}`, endsAt: (window + 1) * windowMs };
}

const dayMs = 24 * 3600_000;

/** The quota `form_submissions` of an organization, counted by UTC day. Spam cannot use it up: it is counted apart. */
const countOf = ({ org_id }: Tenant, spam: boolean) => ({ key: `${org_id} ${spam ? 'spam' : 'kept'}`, windowMs: dayMs });

/**
 * Counts one submission; false if the organization has none left today, or for a site of clients who joined by a link
 * their share. It is counted before it is stored: a process that dies between the two has counted one too many, and
 * never stored one.
 */
export async function consumeDailyQuota(
  tenant: Tenant,
  { spam, isOfJoined }: { spam: boolean; isOfJoined: boolean },
  now: Date,
): Promise<boolean> {
  const max = await limitOf(tenant.org_id, 'form_submissions');
  const count = countOf(tenant, spam);
  const share = { ...count, key: `${count.key} joined`, max: joinedShareOf(max) };
  if (isOfJoined && !(await consumeQuota(tenant, share, now))) return false;
  return consumeQuota(tenant, { ...count, max }, now);
}

/** The organization's use of `form_submissions` today. */
export const usedFormSubmissions = (tenant: Tenant, now: Date): Promise<number> => usedOf(tenant, countOf(tenant, false), now);

export const submissionQuota: Quota = {
  name: 'form_submissions',
  used: (org_id) => usedFormSubmissions({ org_id }, new Date()),
};

/** Seconds until the quotas of a new day. */
export const secondsToMidnight = (now: Date): number => Math.ceil((dayMs - (now.getTime() % dayMs)) / 1000);
