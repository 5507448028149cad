import { batched } from '@webkiln/runtime';
import type mongoose from 'mongoose';
import type { AnyBulkWriteOperation } from 'mongoose';
import type { Update } from '../access.ts';
import { assertNotErased } from '../erasure/erased-organizations.ts';
import { compiled, type Filter } from '../model/filter.ts';
import { rawModel } from '../model/raw-model.ts';
import { firstFields, type Scope, tenancyFilter } from '../model/scope.ts';
import type { GivenFields, OrgModel, Stored } from '../model/stored-record.ts';
import { answered, isDuplicateCode } from '../store-errors.ts';
import { insertEach } from './insert-each.ts';

type Row = mongoose.mongo.Document;

/** Callers do not wait for these writes, and a bulk write costs little more than a single one. */
const lingerMs = 10;

/**
 * Inserts records that raise no event, batched over a few milliseconds. Resolves to false if the `_id` is taken.
 * For hot paths: records are neither validated nor given defaults.
 */
export function batchedInsert<Doc>(
  model: OrgModel<Doc>,
): (scope: Scope, record: GivenFields<Doc, 'organization'> & { _id: string }) => Promise<boolean> {
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
  const write = batched<AnyBulkWriteOperation, void>(run, { lingerMs });
  return (scope, filter, update) =>
    write({ updateOne: { filter: { ...compiled(filter), ...tenancyFilter(model, scope) }, update: update as Row } });
}
