import { rawModel } from '../model/raw-model.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { type Upgrade, upgradeOf, versionField, versionOf } from '../model/upgrades.ts';
import { answered } from '../store-errors.ts';
import type { Report } from './migration.ts';
import { beginPass, endPass, savePosition } from './migration-records.ts';

const batchSize = 500;

/**
 * Stores the documents of earlier versions as the present one, in the order of their ids. A run that is killed is
 * continued at its last batch.
 */
export async function upgradeDocuments(model: StoreModel, upgrades: readonly Upgrade[], name: string, report: Report): Promise<void> {
  const { collection } = rawModel(model);
  const pass = await beginPass(name);
  const needed = [versionField, ...upgrades.flatMap(({ reads }) => reads)];
  const older = { $or: [{ [versionField]: null }, { [versionField]: { $lt: versionOf(upgrades) } }], deleted_org_id: { $exists: false } };
  let upgraded = 0;
  for (let after = pass.after; ; ) {
    const filter = after === undefined ? older : { ...older, _id: { $gt: after } };
    const found = await answered('find', model, () =>
      collection
        .find(filter as never, { projection: Object.fromEntries(needed.map((field) => [field, 1])), sort: { _id: 1 }, limit: batchSize })
        .toArray(),
    );
    const last = found.at(-1);
    if (last === undefined) break;
    // A document that changed since it was read is left to the next pass; reads upgrade it meanwhile.
    const writes = found.map((document) => ({
      updateOne: {
        filter: { _id: document._id, ...Object.fromEntries(needed.map((field) => [field, document[field] ?? null])) },
        update: { $set: upgradeOf(upgrades, document) },
      },
    }));
    const { modifiedCount } = await answered('bulkWrite', model, () => collection.bulkWrite(writes as never, { ordered: false }));
    upgraded += modifiedCount;
    after = String(last._id);
    await savePosition(name, pass.number, after);
    report(`${model.collection}: ${upgraded} documents are of version ${versionOf(upgrades)} now`);
  }
  await endPass(name, pass.number);
}
