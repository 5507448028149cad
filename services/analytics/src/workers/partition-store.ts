import { defineGlobalModel, unscoped, where } from '@webkiln/store';

/** Owner and progress of a partition. Platform-wide: it has sites of many organizations. `_id` is its number. */
interface PartitionRecord {
  /** The process that holds the lease until `until`; null if free. */
  owner: string | null;
  until: Date;
  /** Everything on the stream up to this position is counted. */
  position: number;
  /** When the stream stored the message at `position`, in milliseconds since 1970; 0 before the first. */
  at: number;
}

const PartitionModel = defineGlobalModel<PartitionRecord>('partitions', {
  owner: { type: String, default: null },
  until: { type: Date, required: true },
  position: { type: Number, required: true },
  at: { type: Number, required: true },
});

/** Worker processes, by heartbeat. */
const WorkerModel = defineGlobalModel<{ alive_until: Date }>(
  'workers',
  { alive_until: { type: Date, required: true } },
  { indexes: [[{ alive_until: 1 }, { expireAfterSeconds: 3600 }]] },
);

const partitions = () => unscoped(PartitionModel);
const long_ago = new Date(0);

export async function createPartitions(count: number): Promise<void> {
  const first = { owner: null, until: long_ago, position: 0, at: 0 };
  await Promise.all(
    Array.from({ length: count }, (_, partition) =>
      partitions().updateOne({ _id: `${partition}` }, { $setOnInsert: first }, { upsert: true }),
    ),
  );
}

export const findPartitions = () => partitions().find({}, { sort: { _id: 1 } });

/** Claims a partition whose lease is free or expired; returns false if another process holds it. */
export async function claimPartition(_id: string, owner: string, now: Date, until: Date): Promise<boolean> {
  return (await partitions().updateOne({ _id, until: where({ $lte: now }) }, { $set: { owner, until } })).matchedCount === 1;
}

export const renewPartitions = (owner: string, ids: readonly string[], until: Date) =>
  partitions().updateMany({ _id: where({ $in: ids }), owner }, { $set: { until } });

export const releasePartition = (_id: string, owner: string) =>
  partitions().updateOne({ _id, owner }, { $set: { owner: null, until: long_ago } });

/** Saves how far a partition is counted; returns false if another process owns it now. */
export async function savePosition(
  _id: string,
  owner: string,
  { position, at }: Pick<PartitionRecord, 'position' | 'at'>,
): Promise<boolean> {
  return (await partitions().updateOne({ _id, owner }, { $set: { position, at } })).matchedCount === 1;
}

export const heartbeat = (_id: string, until: Date) =>
  unscoped(WorkerModel).updateOne({ _id }, { $set: { alive_until: until } }, { upsert: true });
export const removeWorker = (_id: string) => unscoped(WorkerModel).deleteOne({ _id });
/** Finds live workers, in the same order for all of them. */
export const findLiveWorkers = async (now: Date): Promise<string[]> =>
  (await unscoped(WorkerModel).find({ alive_until: where({ $gt: now }) }, { fields: [], sort: { _id: 1 } })).map(({ _id }) => _id);
