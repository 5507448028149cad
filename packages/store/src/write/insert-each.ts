import { batched } from '@webkiln/runtime';
import mongoose from 'mongoose';
import { rawModel } from '../model/raw-model.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

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
