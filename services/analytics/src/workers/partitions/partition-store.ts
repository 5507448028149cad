import { defineGlobalModel, unscoped, where } from '@webkiln/store';

/** Who counts a partition, and how far. Partitions are the platform's own: each holds sites of many organizations. `_id` is its number. */
export interface PartitionState {
  /** The process that counts it, until `until`; null while nobody does. */
  owner: string | null;
  until: Date;
  /** Everything on the stream up to here is counted. */
  position: number;
  /** When the stream took the message there, in milliseconds since 1970; 0 before the first. */
  at: number;
}

const PartitionModel = defineGlobalModel<PartitionState>('partitions', {
  owner: { type: String, default: null },
  until: { type: Date, required: true },
  position: { type: Number, required: true },
  at: { type: Number, required: true },
});

/** Processes that count, by a sign of life. */
const WorkerModel = defineGlobalModel<{ alive_until: Date }>(
  'workers',
  { alive_until: { type: Date, required: true } },
  { indexes: [[{ alive_until: 1 }, { expireAfterSeconds: 3600 }]] },
);

const partitions = () => unscoped(PartitionModel);
const long_ago = new Date(0);

export async function makePartitions(count: number): Promise<void> {
  const first = { owner: null, until: long_ago, position: 0, at: 0 };
  await Promise.all(
    Array.from({ length: count }, (_, partition) =>
      partitions().updateOne({ _id: `${partition}` }, { $setOnInsert: first }, { upsert: true }),
    ),
  );
}

export const allPartitions = () => partitions().find({});

/** Takes a partition that nobody has; false where somebody has. */
export async function claimPartition(_id: string, owner: string, now: Date, until: Date): Promise<boolean> {
  return (await partitions().updateOne({ _id, until: where({ $lte: now }) }, { $set: { owner, until } })).matchedCount === 1;
}

export const renewPartitions = (owner: string, ids: readonly string[], until: Date) =>
  partitions().updateMany({ _id: where({ $in: ids }), owner }, { $set: { until } });

export const releasePartition = (_id: string, owner: string) =>
  partitions().updateOne({ _id, owner }, { $set: { owner: null, until: long_ago } });

/** Notes how far a partition is counted; false where it is another's by now. */
export async function savePosition(
  _id: string,
  owner: string,
  { position, at }: Pick<PartitionState, 'position' | 'at'>,
): Promise<boolean> {
  return (await partitions().updateOne({ _id, owner }, { $set: { position, at } })).matchedCount === 1;
}

export const beAlive = (_id: string, until: Date) =>
  unscoped(WorkerModel).updateOne({ _id }, { $set: { alive_until: until } }, { upsert: true });
export const beGone = (_id: string) => unscoped(WorkerModel).deleteOne({ _id });
/** Who is alive, in an order that all agree on. */
export const aliveWorkers = async (now: Date): Promise<string[]> =>
  (await unscoped(WorkerModel).find({ alive_until: where({ $gt: now }) }, { fields: [], sort: { _id: 1 } })).map(({ _id }) => _id);
