import { setTimeout as pause } from 'node:timers/promises';
import { rawModel } from '../model/models.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

/** Bounds the duration of one write, and what replication gets at once. */
export const deleteBatchSize = 1_000;

/**
 * Deletes what a filter matches, however much it is. After each full batch it pauses for as long as the batch took, so
 * that it takes at most half of the time from others. What was deleted stays deleted if a later batch fails.
 */
export async function deleteInBatches(model: StoreModel, filter: Record<string, object>): Promise<{ deletedCount: number }> {
  const raw = rawModel(model);
  for (let deletedCount = 0; ; ) {
    const startedAt = performance.now();
    const found = await answered('find', model, () => raw.find(filter, { _id: 1 }, { limit: deleteBatchSize }).lean<{ _id: string }[]>());
    if (found.length === 0) return { deletedCount };
    const batch = { $and: [filter, { _id: { $in: found.map(({ _id }) => _id) } }] };
    deletedCount += (await answered('deleteMany', model, () => raw.deleteMany(batch))).deletedCount;
    if (found.length < deleteBatchSize) return { deletedCount };
    await pause(performance.now() - startedAt);
  }
}
