import type mongoose from 'mongoose';
import { database } from '../connection.ts';
import { answered } from '../store-errors.ts';

/** Its fields in order, and MongoDB's options: `[{ org_id: 1, email_lower: 1 }, { unique: true }]`. */
export type Index = readonly [fields: Readonly<Record<string, 1 | -1>>, options?: mongoose.mongo.CreateIndexesOptions];

const registered = new Map<string, readonly Index[]>();

export function registerIndexes(collection: string, indexes: readonly Index[]): void {
  registered.set(collection, indexes);
}

/** Creates what indexes are missing on the collections defined so far; called once at start. */
export async function ensureIndexes(): Promise<void> {
  for (const [collection, indexes] of registered) {
    const descriptions = indexes.map(([fields, options]) => ({ key: fields, ...options }));
    await answered('createIndexes', { collection }, async () => database().collection(collection).createIndexes(descriptions));
  }
}

/**
 * A collection of this package's own rows, which belong to no organization: claims and outcomes with a time to live.
 */
export function bookkeeping<Row extends mongoose.mongo.Document>(collection: string, indexes: readonly Index[]) {
  registerIndexes(collection, indexes);
  return { collection, rows: () => database().collection<Row>(collection) };
}
