import { defineModel, isDuplicate, type Scope, scoped, where } from '@webkiln/store';

/** What was taken of a quota in one window of time. */
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
const clockSlackMs = 60_000;

interface Window {
  /** Of whom: nothing that tells an address. */
  readonly of: string;
  readonly most: number;
  readonly windowMs: number;
}

/** Takes one of so many in the window (of the clock: this minute, this hour), whatever other replicas do; false where all are taken. */
export async function takeFromQuota(scope: Scope, { of, most, windowMs }: Window, now: Date): Promise<boolean> {
  const window = Math.floor(now.getTime() / windowMs);
  const _id = `${of} ${windowMs} ${window}`;
  const free = { _id, used: where({ $lt: most }) };
  const quotas = scoped(QuotaModel, scope);
  const take = { $inc: { used: 1 } };
  if ((await quotas.updateOne(free, take)).matchedCount === 1) return true;
  try {
    const expire_at = new Date((window + 1) * windowMs + clockSlackMs);
    await quotas.insert({ _id, used: 1, expire_at });
    return true;
  } catch (error) {
    if (!isDuplicate(error, '_id')) throw error;
  }
  // It is all taken, or another request came first just now.
  return (await quotas.updateOne(free, take)).matchedCount === 1;
}
