import { batched } from '@webkiln/runtime';
import mongoose, { type AnyBulkWriteOperation } from 'mongoose';
import type { Numbers, Update } from '../access.ts';
import { rawModel } from '../model/models.ts';
import { compiled, type Filter, firstFields, type Scope, type Session, tenancyFilter } from '../model/scope.ts';
import type { GivenFields, ModelOf, OrgModel, Stored, StoreModel, Tenancy } from '../model/stored-record.ts';
import { answered, isDuplicateCode } from '../store-errors.ts';
import { assertNotErased, withoutErased } from './erased-organizations.ts';

type Row = mongoose.mongo.Document;

/** Inserts rows in one unordered write; returns, per row, the error that refused it. */
export async function insertEach<R extends Row>(
  collection: Pick<mongoose.mongo.Collection<R>, 'insertMany'>,
  rows: readonly mongoose.mongo.OptionalUnlessRequiredId<R>[],
  options: Pick<mongoose.mongo.BulkWriteOptions, 'writeConcern'> = {},
): Promise<(mongoose.mongo.WriteError | undefined)[]> {
  try {
    await collection.insertMany(rows, { ...options, ordered: false });
    return rows.map(() => undefined);
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
    const refused = new Map([error.writeErrors].flat().map((failure) => [failure.index, failure]));
    if (refused.size === 0) throw error;
    return rows.map((_, index) => refused.get(index));
  }
}

const inserts = new WeakMap<StoreModel, (row: Row) => Promise<boolean>>();

/**
 * Inserts a row, batched per event-loop tick. A refused row is inserted again alone: only that error names the index.
 */
export async function insertInBatch(model: StoreModel, row: Row): Promise<void> {
  const { collection } = rawModel(model);
  let insert = inserts.get(model);
  if (insert === undefined) {
    insert = batched((rows) =>
      answered('insertMany', model, async () => (await insertEach(collection, rows)).map((refused) => refused === undefined)),
    );
    inserts.set(model, insert);
  }
  if (!(await insert(row))) await answered('insert', model, () => collection.insertOne(row));
}

/** A bulk write costs little more than a single one. */
const defaultLingerMs = 10;

/**
 * Inserts records that raise no event, batched over `lingerMs`. Resolves to false if the `_id` is taken. For hot paths:
 * records are neither validated nor given defaults.
 */
export function batchedInsert<Doc, T extends Tenancy>(
  model: ModelOf<Doc, T>,
  { lingerMs = defaultLingerMs }: { readonly lingerMs?: number } = {},
): (scope: Scope, record: GivenFields<Doc, T> & { _id: string }) => Promise<boolean> {
  const run = (rows: readonly Row[]) =>
    answered('insertMany', model, async () => {
      const refused = await insertEach(rawModel(model).collection, rows);
      return refused.map((error) => {
        if (error === undefined) return true;
        return isDuplicateCode(error.code) ? false : new Error(error.errmsg);
      });
    });
  const insert = batched<Row, boolean>(run, { lingerMs });
  return async (scope, record) => {
    await assertNotErased(model, scope, record);
    return insert({ ...record, ...firstFields(model, scope) });
  };
}

/** Updates the record that a filter matches, if any. Updates are batched over a few milliseconds, across callers. */
export function batchedUpdate<Doc>(
  model: OrgModel<Doc>,
): (scope: Scope, filter: Filter<Stored<Doc>>, update: Update<GivenFields<Doc, 'organization'>>) => Promise<void> {
  const run = async (writes: readonly AnyBulkWriteOperation[]) => {
    await answered('bulkWrite', model, () => rawModel(model).collection.bulkWrite([...writes] as never, { ordered: false }));
    return writes.map(() => undefined);
  };
  const write = batched<AnyBulkWriteOperation, void>(run, { lingerMs: defaultLingerMs });
  return (scope, filter, update) =>
    write({ updateOne: { filter: { ...compiled(filter), ...tenancyFilter(model, scope) }, update: update as Row } });
}

type Given<Doc> = GivenFields<Doc, 'organization'>;

/** A record to insert, or increments of a record's numbers; a missing record starts as `first`. */
export type BatchedWrite<Doc> = { readonly org_id: string } & (
  | { readonly record: Given<Doc> & { _id: string } }
  | { readonly _id: string; readonly first: Partial<Given<Doc>>; readonly add: Numbers<Given<Doc>> }
);

/**
 * Writes records of many organizations in one transaction, without validation or defaults. Those of organizations whose
 * erasure has begun are left out.
 */
export async function writeBatch<Doc>(model: OrgModel<Doc>, session: Session, all: readonly BatchedWrite<Doc>[]): Promise<void> {
  const writes = await withoutErased(model, all, ({ org_id }) => org_id);
  if (writes.length === 0) return;
  const operations = writes.map(({ org_id, ...write }) => {
    const first = firstFields(model, { org_id });
    if ('record' in write) return { insertOne: { document: { ...write.record, ...first } } };
    const update = { $inc: write.add, $setOnInsert: { ...write.first, revision: first.revision } };
    return { updateOne: { filter: { _id: write._id, org_id: first.org_id }, update, upsert: true } };
  });
  await answered('bulkWrite', model, () => rawModel(model).collection.bulkWrite(operations as never, { ordered: true, session }));
}
