import { dataServiceNames } from '@webkiln/messages';
import type { MongoClient } from 'mongodb';

/** Copies of requests are deleted a day after them by their time to live. */
const expiring = new Set(['repeatable_requests']);

/** The collections of all services with a document that has the text anywhere, in any case, and how many there are. */
export async function traces(store: MongoClient, text: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const { databases } = await store.db().admin().listDatabases();
  const ours = databases.map(({ name }) => name).filter((name) => !['admin', 'config', 'local'].includes(name));
  expect(ours.length).toBeGreaterThanOrEqual(dataServiceNames.length);
  for (const name of ours) {
    for (const { name: collection } of await store.db(name).listCollections().toArray()) {
      if (expiring.has(collection) || collection.startsWith('system.')) continue;
      // As bytes: so it finds the text in contents of files, too, and parses none of the thousands of documents.
      for await (const bytes of store.db(name).collection(collection).find<Buffer>({}, { raw: true })) {
        if (!bytes.toString('latin1').toLowerCase().includes(text.toLowerCase())) continue;
        counts[`${name}.${collection}`] = (counts[`${name}.${collection}`] ?? 0) + 1;
      }
    }
  }
  return counts;
}
