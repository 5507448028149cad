import type { Numbers } from '../access.ts';
import { withoutErased } from '../erasure/erased-organizations.ts';
import { rawModel } from '../model/raw-model.ts';
import { firstFields, type Session } from '../model/scope.ts';
import type { GivenFields, OrgModel } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

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
