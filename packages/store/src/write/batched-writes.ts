import type mongoose from 'mongoose';
import type { AnyBulkWriteOperation } from 'mongoose';
import { compiled, type Filter } from './filter.ts';
import { gathered } from './gather.ts';
import { insertEach } from './insert-each.ts';
import { type GivenFields, type OrgModel, rawModel, type Stored } from './model.ts';
import { firstFields, type Scope, tenancyFilter } from './scope.ts';
import type { Update } from './scoped.ts';
import { answered, isDuplicateCode } from './store-errors.ts';

type Row = mongoose.mongo.Document;

/** A write costs little more for many rows than for one, and nobody waits for these. */
const lingerMs = 10;

/**
 * Adds records that raise no event; those of a few milliseconds are one write. Answers whether the record was added: false where its `_id` is taken.
 * For hot paths: what is added is written as it is given, unchecked and without defaults.
 */
export function gatheredInsertion<Doc>(
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
  const insert = gathered<Row, boolean>(run, { lingerMs });
  return (scope, record) => insert({ ...record, ...firstFields(model, scope) });
}

/** Changes the record that a filter finds, if it does; changes of a few milliseconds, whosever they are, are one write. */
export function gatheredUpdate<Doc>(
  model: OrgModel<Doc>,
): (scope: Scope, filter: Filter<Stored<Doc>>, update: Update<GivenFields<Doc, 'organization'>>) => Promise<void> {
  const run = async (writes: readonly AnyBulkWriteOperation[]) => {
    await answered('bulkWrite', model, () => rawModel(model).collection.bulkWrite([...writes] as never, { ordered: false }));
    return writes.map(() => undefined);
  };
  const write = gathered<AnyBulkWriteOperation, void>(run, { lingerMs });
  return (scope, filter, update) =>
    write({ updateOne: { filter: { ...compiled(filter), ...tenancyFilter(model, scope) }, update: update as Row } });
}
