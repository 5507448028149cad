import mongoose from 'mongoose';
import { rawModel } from '../model/models.ts';
import { compiled, type Filter, firstFields, orgOf, type Scope, tenancyFilter } from '../model/scope.ts';
import type { GivenFields, OrgModel, Stored } from '../model/stored-record.ts';
import { answered, isDuplicateCode } from '../store-errors.ts';
import { withoutErased } from './erased-organizations.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Inserts a record unless its `_id` is taken, or updates one if the filter still matches. Updates may name nested
 * fields: `pages.0`.
 */
export type GuardedWrite<Doc> =
  | { readonly scope: Scope; readonly record: GivenFields<Doc, 'organization'> & { _id: string } }
  | {
      readonly scope: Scope;
      readonly filter: Filter<Stored<Doc>> & { readonly _id: string };
      readonly update: { readonly $set?: Fields; readonly $push?: Fields; readonly $unset?: Fields };
    };

/**
 * Writes records of many organizations in one bulk write, without validation or defaults. Returns true if every guard
 * held. If not, some writes were made and some were not: the caller reads the records again. Writes for organizations
 * whose erasure has begun are left out.
 */
export async function writeGuarded<Doc>(model: OrgModel<Doc>, all: readonly GuardedWrite<Doc>[]): Promise<boolean> {
  const writes = await withoutErased(model, all, ({ scope }) => orgOf(scope));
  if (writes.length === 0) return true;
  const operations = writes.map((write) =>
    'record' in write
      ? { insertOne: { document: { ...write.record, ...firstFields(model, write.scope) } } }
      : { updateOne: { filter: { ...compiled(write.filter), ...tenancyFilter(model, write.scope) }, update: write.update } },
  );
  try {
    const { matchedCount, insertedCount } = await answered('bulkWrite', model, () =>
      rawModel(model).collection.bulkWrite(operations as never, { ordered: false }),
    );
    return matchedCount + insertedCount === writes.length;
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoBulkWriteError && areDuplicates([error.writeErrors].flat())) return false;
    throw error;
  }
}

const areDuplicates = (errors: readonly { code: unknown }[]) => errors.length > 0 && errors.every(({ code }) => isDuplicateCode(code));
