import { rawModel } from '../model/raw-model.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { answered, isDuplicate } from '../store-errors.ts';

const chunkSize = 1_000;

/**
 * Gives a place to the records without one, at each start: those of a version that had no places, and those of a
 * process that died before it gave one. `live` selects the records that use the quota, `by` are the fields that its
 * unique index has beside the place. A record beyond the limit gets a place beyond it, so that it counts.
 */
export async function assignPlaces(
  model: StoreModel,
  { field, by, live = {} }: { field: string; by: readonly string[]; live?: object },
): Promise<void> {
  const { collection } = rawModel(model);
  const next = new Map<string, number>();
  const unplaced = { ...live, [field]: null, deleted_org_id: { $exists: false } };
  for (let after: string | undefined; ; ) {
    const filter = after === undefined ? unplaced : { ...unplaced, _id: { $gt: after } };
    const found = await answered('find', model, () =>
      collection
        .find(filter as never, { projection: Object.fromEntries(by.map((name) => [name, 1])), sort: { _id: 1 }, limit: chunkSize })
        .toArray(),
    );
    for (const record of found) {
      const key = JSON.stringify(by.map((name) => record[name]));
      next.set(key, await assign(model, String(record._id), field, next.get(key) ?? 0));
      after = String(record._id);
    }
    if (found.length < chunkSize) return;
  }
}

/** Takes the first free place from `place` on; returns the one after it. */
async function assign(model: StoreModel, _id: string, field: string, place: number): Promise<number> {
  for (let free = place; ; free++) {
    try {
      await answered('update', model, () =>
        rawModel(model).collection.updateOne({ _id, [field]: null } as never, { $set: { [field]: free } }),
      );
      return free + 1;
    } catch (error) {
      if (!isDuplicate(error, field)) throw error;
    }
  }
}
