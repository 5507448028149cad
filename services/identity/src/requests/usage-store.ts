import type { RequestBatch, UsageCount } from '@webkiln/contract';
import { defineModel, type Scope, type Session, scoped, where, writeBatch } from '@webkiln/store';

/** 13 months. */
const retentionMs = 396 * 24 * 3600_000;

/** A key's requests on one UTC day; `key_id` is null for all sessions together. `day` is the start of the day. */
export interface UsageState extends Omit<UsageCount, 'org_id'> {
  _id: string;
  day: Date;
  kept_until: Date;
}

const count = { type: Number, default: 0 };

const UsageModel = defineModel<UsageState>(
  'usage_days',
  {
    key_id: { type: String, default: null },
    day: { type: Date, required: true },
    requests: count,
    client_errors: count,
    server_errors: count,
    kept_until: { type: Date, required: true },
  },
  { exportedAs: null, indexes: [[{ org_id: 1, day: 1 }]], indexesAcross: [[{ kept_until: 1 }, { expireAfterSeconds: 0 }]] },
);

/** Adds a batch to the counts, in the transaction that handles it. */
export const countUsage = ({ day, usage }: RequestBatch, session: Session): Promise<void> =>
  writeBatch(
    UsageModel,
    session,
    usage.map(({ org_id, key_id, ...add }) => ({
      org_id,
      _id: `${org_id}/${key_id ?? 'sessions'}/${day}`,
      first: { key_id, day: new Date(day), kept_until: new Date(Date.parse(day) + retentionMs) },
      add,
    })),
  );

export const usageSince = (scope: Scope, day: string) =>
  scoped(UsageModel, scope).find(
    { day: where({ $gte: new Date(day) }) },
    { fields: ['key_id', 'day', 'requests', 'client_errors', 'server_errors'] },
  );
