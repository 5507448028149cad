import { type KeptEntry, type OutboxEntry, rawModel, type StoreModel } from './model.ts';
import { answered } from './store-errors.ts';

const entriesRead = 50;

/** A record with events that the stream may not have yet, oldest first. */
export interface WaitingRecord {
  readonly _id: string;
  /** Empty for a record across organizations that names none. */
  readonly org_id: string;
  readonly revision: number;
  readonly outbox: readonly OutboxEntry[];
  readonly tombstone: boolean;
}

/** Of one record, the events that are on the stream. */
export interface PublishedEvents {
  readonly record: WaitingRecord;
  readonly ids: readonly string[];
}

interface Raw extends Omit<WaitingRecord, 'tombstone' | 'org_id' | 'outbox'> {
  /** Those of earlier versions hold their data as it is. */
  outbox: readonly (KeptEntry | OutboxEntry)[];
  org_id?: string;
  deleted_org_id?: string;
}

/** Records with waiting events: those of the given ids, or any, those that wait longest first. At most 50 events of each. */
export async function waitingRecords(model: StoreModel, limit: number, ids?: readonly string[]): Promise<WaitingRecord[]> {
  const waiting = { 'outbox.timestamp': { $exists: true } };
  const cursor = rawModel(model).collection.find<Raw>(ids === undefined ? waiting : { _id: { $in: ids as never[] }, ...waiting }, {
    projection: { org_id: 1, deleted_org_id: 1, revision: 1, outbox: { $slice: entriesRead } },
    sort: ids === undefined ? { 'outbox.timestamp': 1 } : undefined,
    limit,
  });
  const found = await answered('find', model, () => cursor.toArray());
  return found.map(({ org_id = '', deleted_org_id, outbox, ...record }) => ({
    ...record,
    outbox: outbox.map((entry) => ({ ...entry, data: typeof entry.data === 'string' ? JSON.parse(entry.data) : entry.data })),
    org_id: deleted_org_id ?? org_id,
    tombstone: deleted_org_id !== undefined,
  }));
}

/** Takes published events out of their records, all in one write. A tombstone that has told everything goes whole. */
export async function settleOutbox(model: StoreModel, published: readonly PublishedEvents[]): Promise<void> {
  if (published.length === 0) return;
  const writes = published.map(({ record: { _id, revision, outbox, tombstone }, ids }) =>
    tombstone && ids.length === outbox.length && outbox.length < entriesRead
      ? { deleteOne: { filter: { _id: _id as never, revision } } }
      : { updateOne: { filter: { _id: _id as never }, update: { $pull: { outbox: { id: { $in: [...ids] } } } as never } } },
  );
  await answered('bulkWrite', model, () => rawModel(model).collection.bulkWrite(writes, { ordered: false }));
}
