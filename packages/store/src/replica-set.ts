import { type Db, MongoClient, MongoServerError } from 'mongodb';
import { keyFileUrl } from './mongodb-users.ts';

const errorCodes = { NotYetInitialized: 94 };
const settings = { electionTimeoutMillis: 1000 };
const timeoutMs = 2000;

/**
 * Makes the mongod at `host` ("host:port") a replica set of one, unless it is one. Throws until it is the primary.
 * `key` is the content of its key file, if it has one.
 */
export async function initiateReplicaSet(host: string, replicaSet: string, key?: string): Promise<void> {
  const url = key === undefined ? `mongodb://${host}/?directConnection=true` : keyFileUrl(host, key, 'directConnection=true');
  const client = new MongoClient(url, { serverSelectionTimeoutMS: timeoutMs });
  try {
    const admin = client.db('admin');
    const hello = await admin.command({ hello: 1 });
    if (hello.isWritablePrimary) return;
    if (hello.setName === undefined) await configure(admin, host, replicaSet);
    throw new Error('not elected yet');
  } finally {
    await client.close();
  }
}

/** Initiates the set, or updates its address if the server's has changed since the last start. */
async function configure(admin: Db, host: string, replicaSet: string): Promise<void> {
  const members = [{ _id: 0, host }];
  const config = await currentConfig(admin);
  if (config === undefined) await admin.command({ replSetInitiate: { _id: replicaSet, members, settings } });
  else if (config.members[0]?.host !== host) {
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  }
}

interface SetConfig {
  version: number;
  members: { host: string }[];
}

async function currentConfig(admin: Db): Promise<SetConfig | undefined> {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    return config as SetConfig;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === errorCodes.NotYetInitialized) return undefined;
    throw error;
  }
}
