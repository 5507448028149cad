import mongoose from 'mongoose';
import { compiled, type Filter } from './filter.ts';
import { type GivenFields, type OrgModel, rawModel, type Stored } from './model.ts';
import { firstFields, type Scope, tenancyFilter } from './scope.ts';
import { answered, isDuplicateCode } from './store-errors.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A record to add where none has its `_id`, or a change of one that is still as the filter says. Updates may reach into fields: `pages.0`. */
export type GuardedWrite<Doc> =
  | { readonly scope: Scope; readonly record: GivenFields<Doc, 'organization'> & { _id: string } }
  | {
      readonly scope: Scope;
      readonly filter: Filter<Stored<Doc>> & { readonly _id: string };
      readonly update: { readonly $set?: Fields; readonly $push?: Fields; readonly $unset?: Fields };
    };

/**
 * Makes changes of many organizations' records in one write, each by itself, unchecked and without defaults. Answers whether every guard
 * held: where false, some were made and some were not, and who asks reads the records again.
 */
export async function writeGuarded<Doc>(model: OrgModel<Doc>, writes: readonly GuardedWrite<Doc>[]): Promise<boolean> {
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
