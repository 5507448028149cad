import mongoose from 'mongoose';
import { database } from '../connection.ts';
import { answered } from '../store-errors.ts';

/** Its fields in order, and MongoDB's options: `[{ org_id: 1, email_lower: 1 }, { unique: true }]`. */
export type Index = readonly [fields: Readonly<Record<string, 1 | -1>>, options?: mongoose.mongo.CreateIndexesOptions];

/**
 * A model's index, with one change: a record that expires stays while an event waits in its outbox, for as long as NATS
 * is away. `name` differs from that of earlier releases, whose index deleted such records: see `replacedIndexes`.
 */
export function keepingWaiting([fields, options = {}]: Index): Index {
  if (options.expireAfterSeconds === undefined) return [fields, options];
  const name = `${nameOf(fields)}${settledSuffix}`;
  return [fields, { ...options, name, partialFilterExpression: { ...options.partialFilterExpression, outbox: [] } }];
}

const settledSuffix = '_settled';
const nameOf = (fields: Index[0]) => Object.entries(fields).flat().join('_');

const registered = new Map<string, readonly Index[]>();

let isPrepared = false;

/** From now on no collection may be added: it would have no indexes. */
export function refuseMoreCollections(): void {
  isPrepared = true;
}

export function registerIndexes(collection: string, indexes: readonly Index[]): void {
  if (isPrepared) throw new Error(`the module of ${collection} is loaded after the store was prepared: it has no indexes`);
  registered.set(collection, indexes);
}

/**
 * The unique indexes of a collection over all organizations. With one, `org_id` cannot shard it: a shard knows its own
 * records alone.
 */
export const uniqueAcross = (collection: string): string[] =>
  (registered.get(collection) ?? [])
    .filter(([fields, options]) => options?.unique === true && Object.keys(fields)[0] !== 'org_id')
    .map(([fields]) => Object.keys(fields).join(', '));

/**
 * Creates what indexes are missing on the collections defined so far, and waits until they are complete. It drops only
 * `replacedIndexes`; others that this release does not define stay, because the release before may use them.
 */
export async function createIndexes(
  onComplete: (collection: string, names: readonly string[]) => Promise<void> = async () => undefined,
  report: (line: string) => void = () => undefined,
): Promise<void> {
  for (const [collection, indexes] of registered) {
    if (indexes.length === 0) continue;
    const before = await existingIndexes(collection);
    const created = indexes.map(indexName).filter((name) => !before.has(name));
    if (created.length > 0) report(`${collection}: creating ${created.join(', ')}`);
    const descriptions = indexes.map(([fields, options]) => ({ key: fields, ...options }));
    await answered('createIndexes', { collection }, async () => database().collection(collection).createIndexes(descriptions));
    await onComplete(collection, indexes.map(indexName));
    for (const name of replacedIndexes(indexes)) await dropIndex(collection, name);
  }
}

/**
 * The indexes that do not exist or are not complete, as "collection.name". MongoDB also lists those that it still
 * builds.
 */
export async function missingIndexes(isComplete: (collection: string, name: string) => boolean): Promise<string[]> {
  const missing = [...registered].map(async ([collection, indexes]) => {
    const existing = indexes.length === 0 ? new Set() : await existingIndexes(collection);
    const names = indexes.map(indexName).filter((name) => !existing.has(name) || !isComplete(collection, name));
    return names.map((name) => `${collection}.${name}`);
  });
  return (await Promise.all(missing)).flat();
}

const indexName = ([fields, options]: Index): string => options?.name ?? nameOf(fields);

async function existingIndexes(collection: string): Promise<ReadonlySet<string | undefined>> {
  const listed = await answered('listIndexes', { collection }, () =>
    database()
      .collection(collection)
      .indexes()
      .catch((error: unknown) => {
        if (error instanceof mongoose.mongo.MongoServerError && error.codeName === 'NamespaceNotFound') return [];
        throw error;
      }),
  );
  return new Set(listed.map(({ name }) => name));
}

/** The names that earlier releases gave to the indexes of `keepingWaiting`. */
const replacedIndexes = (indexes: readonly Index[]): string[] =>
  indexes.filter(([, options]) => options?.name?.endsWith(settledSuffix)).map(([fields]) => nameOf(fields));

async function dropIndex(collection: string, name: string): Promise<void> {
  try {
    await answered('dropIndex', { collection }, () => database().collection(collection).dropIndex(name));
  } catch (error) {
    // Usual: there is none, or another replica dropped it.
    if (!(error instanceof mongoose.mongo.MongoServerError) || error.codeName !== 'IndexNotFound') throw error;
  }
}
