import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import { rawModel } from '../model/raw-model.ts';
import type { StoreModel } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';
import { partsFieldOf, searchedField } from './searched-field.ts';
import { textParts } from './text-parts.ts';

const batchSize = 500;
/** Between two batches, so that other work goes on. */
const pauseMs = 50;

/**
 * Adds the parts that a search needs to records of earlier versions, in small batches; a next call goes on where one
 * broke off. Searches find such records before, too.
 */
export async function fillMissingParts(model: StoreModel): Promise<void> {
  const field = searchedField(model);
  const partsField = partsFieldOf(field);
  const { collection } = rawModel(model);
  for (let filled = 0; ; await pause(pauseMs)) {
    const lacking = { [partsField]: null, [field]: { $exists: true } };
    const found = await answered('find', model, () =>
      collection.find(lacking, { projection: { [field]: 1 }, limit: batchSize, hint: `${partsField}_missing` }).toArray(),
    );
    if (found.length === 0) return;
    // A record whose text has changed meanwhile is read again.
    const writes = found.map(({ _id, [field]: text }) => ({
      updateOne: { filter: { _id, [field]: text, [partsField]: null }, update: { $set: { [partsField]: textParts(String(text)) } } },
    }));
    await answered('bulkWrite', model, () => collection.bulkWrite(writes, { ordered: false }));
    filled += found.length;
    logger.info({ collection: model.collection, filled }, 'records of an earlier version were prepared for searches');
  }
}
