import { dataServiceNames } from '@webkiln/messages';
import { databaseNameOf } from '@webkiln/store/users';
import { type Db, MongoClient } from 'mongodb';

/** The rows that MongoDB's profiler writes. */
const profile = 'system.profile';
/** Rows of the services' own users: tests look into their databases as another one. */
const ofServices = { user: { $regex: '^webkiln_' } };

/** Has MongoDB record each query of the services that reads a whole collection. It costs the others nothing. */
export const recordScans = (mongodbUrl: string): Promise<unknown> =>
  onDatabases(mongodbUrl, (database) => database.command({ profile: 1, filter: { ...ofServices, planSummary: { $regex: 'COLLSCAN' } } }));

/** The collections that were read whole since `recordScans`, each with the shape of the query. */
export async function recordedScans(mongodbUrl: string): Promise<string[]> {
  const found = await onDatabases(mongodbUrl, async (database) => {
    const rows = await database.collection(profile).find().toArray();
    return rows.map(
      ({ ns, op, command }) => `${op} of ${ns}: ${JSON.stringify(command.filter ?? command.pipeline ?? command.q ?? command)}`,
    );
  });
  return [...new Set(found.flat())];
}

async function onDatabases<T>(mongodbUrl: string, work: (database: Db) => Promise<T>): Promise<T[]> {
  const client = await MongoClient.connect(mongodbUrl);
  try {
    return await Promise.all(dataServiceNames.map((service) => work(client.db(databaseNameOf(service, 'webkiln')))));
  } finally {
    await client.close();
  }
}
