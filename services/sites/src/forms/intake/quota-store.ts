import { defineModel, isDuplicate, type Scope, scoped, where } from '@webkiln/store';

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
  { indexesAcross: [[{ expire_at: 1 }, { expireAfterSeconds: 0 }]] },
);

/** MongoDB's clock may be ahead of ours, and must not end a window early. */
const clockSkewMs = 60_000;

interface QuotaLimit {
  /** The owner of the quota. It is stored, so it must not contain an address. */
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

/** Consumes one unit in the current fixed window, atomically across replicas. Returns false if the quota is used up. */
export async function consumeQuota(scope: Scope, { key, max, windowMs }: QuotaLimit, now: Date): Promise<boolean> {
  const window = Math.floor(now.getTime() / windowMs);
  const _id = `${key} ${windowMs} ${window}`;
  const belowMax = { _id, used: where({ $lt: max }) };
  const quotas = scoped(QuotaModel, scope);
  const increment = { $inc: { used: 1 } };
  if ((await quotas.updateOne(belowMax, increment)).matchedCount === 1) return true;
  try {
    const expire_at = new Date((window + 1) * windowMs + clockSkewMs);
    await quotas.insert({ _id, used: 1, expire_at });
    return true;
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
  // Either the quota is used up, or a concurrent request inserted the window first.
  return (await quotas.updateOne(belowMax, increment)).matchedCount === 1;
}
