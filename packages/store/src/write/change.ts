import { AppError } from '@webkiln/contract';
import type { Change, RaisedEvent } from '@webkiln/messages';
import { checkedRecord } from '../model/checked-record.ts';
import { rawModel } from '../model/models.ts';
import { firstFields, orgOf, type Scope, type Session, sessionOf, tenancyFilter } from '../model/scope.ts';
import type { GivenFields, ModelOf, OrgModel, OutboxEntry, RecordFields, Stored, StoreModel, Tenancy } from '../model/stored-record.ts';
import { withParts } from '../read/search.ts';
import { answered, isDuplicate } from '../store-errors.ts';
import { insertInBatch } from './batched-writes.ts';
import { assertNotErased } from './erased-organizations.ts';
import { LostRace } from './etag.ts';
import { notifyInserted, notifyOutboxWritten, outboxEntries } from './outbox.ts';

type Current = Pick<RecordFields, '_id' | 'revision'>;

/** A model that does not declare `raisesEvents` takes changes without events only. */
type ChangeOf<State, Raises extends boolean> = Change<State, Raises extends true ? RaisedEvent : never>;

/**
 * Inserts a record with its events in one document write. If the `_id` is taken, an earlier attempt of the same request
 * inserted it: that record is returned, and no event is raised again. A violation of another unique index throws an
 * error that `isDuplicate` detects. Throws `organization_suspended` once the organization's erasure has begun.
 */
export async function insertChange<Doc, T extends Tenancy, Raises extends boolean>(
  model: ModelOf<Doc, T, Raises>,
  scope: Scope,
  { state, events }: ChangeOf<GivenFields<Doc, T> & { _id: string }, Raises>,
): Promise<Stored<Doc, T>> {
  await assertNotErased(model, scope, state);
  const session = sessionOf(scope);
  const entries = outboxEntries(model, scope, { ...state, revision: 0 }, events);
  const { outbox, ...record } = await checkedRecord(model, { ...withParts(model, state), ...firstFields(model, scope), outbox: entries });
  try {
    if (session === undefined) await insertInBatch(model, { ...record, outbox });
    else await answered('insert', model, () => rawModel(model).collection.insertOne({ ...record, outbox }, { session }));
    if (events.length > 0 && session !== undefined) notifyOutboxWritten(model, state._id, session);
    else if (events.length > 0) notifyInserted(model, record, entries);
    changed(model, scope, null, record);
    return record as unknown as Stored<Doc, T>;
  } catch (error) {
    // A duplicate aborts the session's transaction, so the record cannot be read in it.
    if (!isDuplicate(error) || session !== undefined) throw error;
    const filter = { _id: { $eq: state._id }, ...tenancyFilter(model, scope) };
    const existing = await answered('find', model, () => rawModel(model).findOne(filter, { outbox: 0 }).lean<Stored<Doc, T>>());
    if (existing !== null) return existing;
    if (isDuplicate(error, '_id')) throw new AppError('unavailable', [], { cause: error });
    throw error;
  }
}

/** A transaction's scope. */
type InTransaction = Scope & { readonly session: Session };

/**
 * The same for several records in one write of a transaction. An `_id` that is taken throws an error that `isDuplicate`
 * detects.
 */
export async function insertChanges<Doc, Raises extends boolean>(
  model: ModelOf<Doc, 'organization', Raises>,
  scope: InTransaction,
  changes: readonly ChangeOf<GivenFields<Doc, 'organization'> & { _id: string }, Raises>[],
): Promise<void> {
  const rows = await Promise.all(
    changes.map(async ({ state, events }) => {
      await assertNotErased(model, scope, state);
      const outbox = outboxEntries(model, scope, { ...state, revision: 0 }, events);
      return checkedRecord(model, { ...withParts(model, state), ...firstFields(model, scope), outbox });
    }),
  );
  if (rows.length === 0) return;
  const { session } = scope;
  await answered('insertMany', model, () => rawModel(model).collection.insertMany(rows as never, { session }));
  for (const { state, events } of changes) if (events.length > 0) notifyOutboxWritten(model, state._id, session);
}

/**
 * Changes a record and raises its events in one document write. Throws `edited_meanwhile` if the record has another
 * revision by now. Returns the changed record.
 */
export async function saveChange<Doc, T extends Tenancy, Raises extends boolean, C extends Current>(
  model: ModelOf<Doc, T, Raises>,
  scope: Scope,
  current: C,
  { state, events }: ChangeOf<Partial<GivenFields<Doc, T>>, Raises>,
): Promise<C & Partial<GivenFields<Doc, T>>> {
  // A record across organizations may move to one, as a session does.
  if (model.tenancy === 'global') await assertNotErased(model, scope, state);
  const update = updateOf(model, scope, current, state, events);
  const session = sessionOf(scope);
  const { matchedCount } = await answered('update', model, () =>
    rawModel(model).updateOne(at(model, scope, current), update, { session, runValidators: true }),
  );
  if (matchedCount === 0) throw new LostRace(current._id);
  if (events.length > 0) notifyOutboxWritten(model, current._id, session);
  const saved = { ...current, ...state, revision: current.revision + 1 };
  changed(model, scope, current, saved);
  return saved;
}

/** The same for several records in one write of a transaction. Nothing may remain of it if it throws. */
export async function saveChanges<Doc, Raises extends boolean>(
  model: ModelOf<Doc, 'organization', Raises>,
  scope: InTransaction,
  changes: readonly (readonly [current: Current, change: ChangeOf<Partial<GivenFields<Doc, 'organization'>>, Raises>])[],
): Promise<void> {
  const [first] = changes;
  if (first === undefined) return;
  const { session } = scope;
  const writes = changes.map(([current, { state, events }]) => ({
    updateOne: { filter: at(model, scope, current), update: updateOf(model, scope, current, state, events) },
  }));
  const { matchedCount } = await answered('bulkWrite', model, () => rawModel(model).bulkWrite(writes as never, { session }));
  if (matchedCount < changes.length) throw new LostRace(first[0]._id);
  for (const [{ _id }, { events }] of changes) if (events.length > 0) notifyOutboxWritten(model, _id, session);
}

/** Replaces a record by a tombstone that holds only its events; the relay removes it when they are published. */
export async function removeChange<Doc>(
  model: OrgModel<Doc, true>,
  scope: Scope,
  current: Current,
  events: readonly [RaisedEvent, ...RaisedEvent[]],
): Promise<void> {
  const tombstone = tombstoneWith(outboxEntries(model, scope, current, events));
  const session = sessionOf(scope);
  const { matchedCount } = await answered('update', model, () =>
    rawModel(model).updateOne(at(model, scope, current), [{ $replaceWith: tombstone }], { session, updatePipeline: true }),
  );
  if (matchedCount === 0) throw new LostRace(current._id);
  notifyOutboxWritten(model, current._id, session);
  changed(model, scope, current, null);
}

function updateOf(model: StoreModel, scope: Scope, current: Current, state: object, events: readonly RaisedEvent[]) {
  const outbox = outboxEntries(model, scope, current, events);
  return {
    $set: withParts(model, state),
    $inc: { revision: 1 },
    ...(outbox.length > 0 && { $push: { outbox: { $each: outbox } } }),
  };
}

/** A transaction may still be rolled back or run again: its changes are not told. */
function changed(model: StoreModel, scope: Scope, before: object | null, after: object | null): void {
  if (model.tenancy === 'organization' && sessionOf(scope) === undefined) notifyRecordChange(model, orgOf(scope), before, after);
}

const at = (model: StoreModel, scope: Scope, { _id, revision }: Current) => ({
  _id: { $eq: _id },
  revision: { $eq: revision },
  ...tenancyFilter(model, scope),
});

type Fields = Readonly<Record<string, unknown>>;

/** Hears of each write of this process to an organization's record; null: no record before, or none after. */
type RecordChangeListener = (org_id: string, before: Fields | null, after: Fields | null) => void;

const listeners = new Map<StoreModel, RecordChangeListener[]>();

/** Calls back for each record of the model that this process inserts, changes or removes. */
export function onRecordChange(model: StoreModel, listener: RecordChangeListener): void {
  listeners.set(model, [...(listeners.get(model) ?? []), listener]);
}

function notifyRecordChange(model: StoreModel, org_id: string, before: object | null, after: object | null): void {
  for (const listener of listeners.get(model) ?? []) listener(org_id, before as Fields | null, after as Fields | null);
}

/**
 * The expression that replaces a record by its tombstone, with these entries at the end of its outbox. A tombstone has
 * another `org_id`, so that no read, count or unique index of the organization sees it.
 */
const tombstoneWith = (entries: readonly OutboxEntry[]) => ({
  _id: '$_id',
  org_id: { $concat: ['deleted:', '$_id'] },
  deleted_org_id: '$org_id',
  deleted_at: '$$NOW',
  revision: { $add: ['$revision', 1] },
  outbox: { $concatArrays: ['$outbox', { $literal: entries }] },
});
