import type { RaisedEvent } from '@webkiln/messages';
import { currentTraceparent } from '@webkiln/runtime';
import { database } from '../connection.ts';
import { newId } from '../idempotency/idempotency.ts';
import { rawModel } from '../model/models.ts';
import { callerOf, type Scope, type Session } from '../model/scope.ts';
import type { OutboxEntry, RecordFields, StoreModel } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

/** Bytes of an event's data. Larger data belongs in a record that the event names. */
const maxEventBytes = 64 * 1024;

type Current = Pick<RecordFields, '_id' | 'revision'>;

/**
 * The outbox entries of the events of one change. An event's id is derived from the record and its revision: two
 * attempts derive the same id, and only one is written. Throws a `RangeError` for data of more than 64 KB.
 */
export function outboxEntries(model: StoreModel, scope: Scope, { _id, revision }: Current, events: readonly RaisedEvent[]): OutboxEntry[] {
  if (events.length > 0 && !model.raisesEvents) {
    throw new TypeError(`${model.collection} must be defined with raisesEvents: true to raise ${events[0]?.type}`);
  }
  const caller = callerOf(scope);
  const timestamp = new Date().toISOString();
  const traceparent = currentTraceparent();
  return events.map(({ type, data }, index) => ({
    id: newId(caller, `event ${index} of ${_id} at ${revision}`),
    type,
    timestamp,
    data: bounded(type, JSON.stringify(data)),
    ...(traceparent !== undefined && { traceparent }),
  }));
}

function bounded(type: string, data: string): string {
  if (data.length <= maxEventBytes / 3 || Buffer.byteLength(data) <= maxEventBytes) return data;
  throw new RangeError(`the data of ${type} has ${Buffer.byteLength(data)} bytes, more than ${maxEventBytes}`);
}

/** `inserted`: the record as it was just written, if its events are all that wait. */
type OutboxListener = (model: StoreModel, recordId: string, inserted?: WaitingRecord) => void;

const listeners = new Set<OutboxListener>();

/** Calls back for each record to which this process added an event. Returns a function that unsubscribes. */
export function onOutboxWritten(listener: OutboxListener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells of a record that was inserted, not in a transaction, with these entries. */
export function notifyInserted(model: StoreModel, record: Readonly<Record<string, unknown>>, entries: readonly OutboxEntry[]): void {
  const { _id, org_id = '' } = record as { readonly _id: string; readonly org_id?: string };
  for (const listener of listeners) listener(model, _id, { _id, org_id, revision: 1, outbox: entries, tombstone: false });
}

/** Writes of a transaction are visible only after its commit. */
export function notifyOutboxWritten(model: StoreModel, recordId: string, session?: Session): void {
  const tell = () => {
    for (const listener of listeners) listener(model, recordId);
  };
  if (session === undefined) tell();
  // A transaction may change any number of records.
  else session.setMaxListeners(0).once('ended', tell);
}

const entriesRead = 50;
/** Marks the relay's commands in MongoDB's profiler and logs. */
export const relayComment = 'outbox relay';

/** A record with events that the stream may not have yet, oldest first. */
export interface WaitingRecord {
  readonly _id: string;
  /** Empty for a record across organizations that names none. */
  readonly org_id: string;
  readonly revision: number;
  readonly outbox: readonly OutboxEntry[];
  readonly tombstone: boolean;
}

/** The events of one record that are on the stream. */
export interface PublishedEvents {
  readonly record: WaitingRecord;
  readonly ids: readonly string[];
}

interface Raw extends Omit<WaitingRecord, 'tombstone' | 'org_id' | 'outbox'> {
  /** Entries of earlier versions hold their data unserialized. */
  outbox: readonly (Omit<OutboxEntry, 'data'> & { data: string | RaisedEvent['data'] })[];
  org_id?: string;
  deleted_org_id?: string;
}

/** Records to leave out: of these organizations, and whose first waiting event has one of these types. */
export interface Skipped {
  readonly organizations: readonly string[];
  readonly types: readonly string[];
}

const isWaiting = { 'outbox.timestamp': { $exists: true } };

/** The models that have records with unpublished events, found by one command. */
export async function waitingModels(models: readonly StoreModel[]): Promise<StoreModel[]> {
  const [first, ...others] = models.map((model, index) => ({
    coll: model.collection,
    pipeline: [{ $match: isWaiting }, { $limit: 1 }, { $project: { _id: { $literal: index } } }],
  }));
  if (first === undefined) return [];
  const stages = [...first.pipeline, ...others.map(($unionWith) => ({ $unionWith }))];
  const cursor = database().collection(first.coll).aggregate<{ _id: number }>(stages, { comment: relayComment });
  const found = await answered('aggregate', { collection: first.coll }, () => cursor.toArray());
  return models.filter((_model, index) => found.some(({ _id }) => _id === index));
}

/** Records with unpublished events: the given ones, or the longest waiting first. At most 50 events of each. */
export async function waitingRecords(
  model: StoreModel,
  limit: number,
  ids?: readonly string[],
  skipped: Skipped = { organizations: [], types: [] },
): Promise<WaitingRecord[]> {
  const filter = { ...isWaiting, ...(ids === undefined ? without(skipped) : { _id: { $in: ids as never[] } }) };
  const cursor = rawModel(model).collection.find<Raw>(filter, {
    projection: { org_id: 1, deleted_org_id: 1, revision: 1, outbox: { $slice: entriesRead } },
    sort: ids === undefined ? { 'outbox.timestamp': 1 } : undefined,
    limit,
    comment: relayComment,
  });
  const found = await answered('find', model, () => cursor.toArray());
  return found.map(({ org_id = '', deleted_org_id, outbox, ...record }) => ({
    ...record,
    outbox: outbox.map(({ data, ...entry }) => ({ ...entry, data: typeof data === 'string' ? data : JSON.stringify(data) })),
    org_id: deleted_org_id ?? org_id,
    tombstone: deleted_org_id !== undefined,
  }));
}

const without = ({ organizations, types }: Skipped) => ({
  ...(organizations.length > 0 && { org_id: { $nin: organizations }, deleted_org_id: { $nin: organizations } }),
  ...(types.length > 0 && { 'outbox.0.type': { $nin: types } }),
});

/** Removes published events from their records in one write, and tombstones without further events. */
export async function settleOutbox(model: StoreModel, published: readonly PublishedEvents[]): Promise<void> {
  const isOver = ({ record: { outbox, tombstone }, ids }: PublishedEvents) =>
    tombstone && ids.length === outbox.length && outbox.length < entriesRead;
  const over = published
    .filter(isOver)
    .map(({ record: { _id, revision } }) => ({ deleteOne: { filter: { _id: _id as never, revision } } }));
  const kept = published.filter((events) => !isOver(events));
  // An event's id is unique: one update of all records takes from each only its own.
  const update = {
    filter: { _id: { $in: kept.map(({ record: { _id } }) => _id) as never[] } },
    update: { $pull: { outbox: { id: { $in: kept.flatMap(({ ids }) => [...ids]) } } } as never },
  };
  const writes = [...over, ...(kept.length > 0 ? [{ updateMany: update }] : [])];
  if (writes.length === 0) return;
  await answered('bulkWrite', model, () => rawModel(model).collection.bulkWrite(writes, { ordered: false, comment: relayComment }));
}
