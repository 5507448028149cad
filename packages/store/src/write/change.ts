import { AppError, type Change, type RaisedEvent } from '@webkiln/contract';
import { currentTraceparent } from '@webkiln/runtime';
import { newId } from './ids.ts';
import { gatheredInsert } from './insert-each.ts';
import {
  type GivenFields,
  type KeptEntry,
  type ModelOf,
  type OrgModel,
  type RecordFields,
  rawModel,
  type Stored,
  type StoreModel,
  type Tenancy,
} from './model.ts';
import { tellOutboxWritten } from './outbox-written.ts';
import { callerOf, firstFields, type Scope, sessionOf, tenancyFilter } from './scope.ts';
import { answered, isDuplicate } from './store-errors.ts';

type Current = Pick<RecordFields, '_id' | 'revision'>;

/**
 * Adds a record with its events in one document write. Where the `_id` is taken an earlier attempt of the same request made it:
 * that record is returned and no event raised again. Another unique index refuses with an error that `isDuplicate` tells.
 */
export async function insertChange<Doc, T extends Tenancy>(
  model: ModelOf<Doc, T>,
  scope: Scope,
  { state, events }: Change<GivenFields<Doc, T> & { _id: string }>,
): Promise<Stored<Doc, T>> {
  const session = sessionOf(scope);
  const { outbox, ...record } = await checked(model, {
    ...state,
    ...firstFields(model, scope),
    outbox: entries(scope, { ...state, revision: 0 }, events),
  });
  try {
    if (session === undefined) await gatheredInsert(model, { ...record, outbox });
    else await answered('insert', model, () => rawModel(model).collection.insertOne({ ...record, outbox }, { session }));
    if (events.length > 0) tellOutboxWritten(model, state._id, session);
    return record as unknown as Stored<Doc, T>;
  } catch (error) {
    // A duplicate ends the transaction that the session stands for: it cannot be read on.
    if (!isDuplicate(error) || session !== undefined) throw error;
    const filter = { _id: { $eq: state._id }, ...tenancyFilter(model, scope) };
    const existing = await answered('find', model, () => rawModel(model).findOne(filter, { outbox: 0 }).lean<Stored<Doc, T>>());
    if (existing !== null) return existing;
    if (isDuplicate(error, '_id')) throw new AppError('unavailable', [], { cause: error });
    throw error;
  }
}

/** The record as the model defines it: defaults filled in, values cast. Throws for what it does not allow. */
async function checked(model: StoreModel, record: Record<string, unknown>): Promise<Record<string, unknown>> {
  const document = new (rawModel(model))(record);
  await document.validate();
  return document.toObject();
}

/**
 * Changes a record and raises its events in one document write; `edited_meanwhile` when it is not at that revision any more.
 * Returns the record as it is now.
 */
export async function saveChange<Doc, T extends Tenancy, C extends Current>(
  model: ModelOf<Doc, T>,
  scope: Scope,
  current: C,
  { state, events }: Change<Partial<GivenFields<Doc, T>>>,
): Promise<C & Partial<GivenFields<Doc, T>>> {
  const outbox = entries(scope, current, events);
  const update = {
    $set: { ...state },
    $inc: { revision: 1 },
    ...(outbox.length > 0 && { $push: { outbox: { $each: outbox } } }),
  };
  const session = sessionOf(scope);
  const { matchedCount } = await answered('update', model, () =>
    rawModel(model).updateOne(at(model, scope, current), update, { session, runValidators: true }),
  );
  if (matchedCount === 0) throw new AppError('edited_meanwhile');
  if (outbox.length > 0) tellOutboxWritten(model, current._id, session);
  return { ...current, ...state, revision: current.revision + 1 };
}

/**
 * Turns a record into a tombstone that holds nothing but its events; the relay removes it when they are on the stream. A tombstone has
 * left its organization, so that no read, count or unique index of the organization meets it.
 */
export async function removeChange<Doc>(
  model: OrgModel<Doc>,
  scope: Scope,
  current: Current,
  events: readonly [RaisedEvent, ...RaisedEvent[]],
): Promise<void> {
  const tombstone = {
    _id: '$_id',
    org_id: { $concat: ['deleted:', '$_id'] },
    deleted_org_id: '$org_id',
    deleted_at: '$$NOW',
    revision: { $add: ['$revision', 1] },
    outbox: { $concatArrays: ['$outbox', { $literal: entries(scope, current, events) }] },
  };
  const session = sessionOf(scope);
  const { matchedCount } = await answered('update', model, () =>
    rawModel(model).updateOne(at(model, scope, current), [{ $replaceWith: tombstone }], { session, updatePipeline: true }),
  );
  if (matchedCount === 0) throw new AppError('edited_meanwhile');
  tellOutboxWritten(model, current._id, session);
}

const at = (model: StoreModel, scope: Scope, { _id, revision }: Current) => ({
  _id: { $eq: _id },
  revision: { $eq: revision },
  ...tenancyFilter(model, scope),
});

/** An event's id belongs to the change it tells of: equal for two attempts at the same revision, of which one is written. */
function entries(scope: Scope, { _id, revision }: Current, events: readonly RaisedEvent[]): KeptEntry[] {
  const caller = callerOf(scope);
  const timestamp = new Date().toISOString();
  const traceparent = currentTraceparent();
  return events.map(({ type, data }, index) => ({
    id: newId(caller, `event ${index} of ${_id} at ${revision}`),
    type,
    timestamp,
    data: JSON.stringify(data),
    ...(traceparent !== undefined && { traceparent }),
  }));
}
