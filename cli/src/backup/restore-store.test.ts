import { setTimeout as pause } from 'node:timers/promises';
import { startServer } from '@webkiln/runtime/testing/server-process';
import mongoose from 'mongoose';
import { RestoreStore } from './restore-store.ts';

const { MongoClient, BSON } = mongoose.mongo;
/** MongoDB looks for expired documents every second there, not every minute. */
const startMongod = () =>
  startServer(process.env.MONGODB_SERVER_BIN ?? 'mongod', ({ port, folder }) => [
    ...['--dbpath', folder, '--bind_ip', '127.0.0.1', '--port', String(port), '--nounixsocket', '--wiredTigerCacheSizeGB', '0.25'],
    ...['--setParameter', 'ttlMonitorSleepSecs=1'],
  ]);

test('documents that have expired since the backup stay until the indexes are made, so that they can be checked', async () => {
  await using mongod = await startMongod();
  const url = `mongodb://127.0.0.1:${mongod.port}/`;
  const client = new MongoClient(url);
  const store = new RestoreStore(url);
  const passes = async () => (await client.db('admin').command({ serverStatus: 1 })).metrics.ttl.passes as number;
  const expiry = { v: 2, key: { expires_at: 1 }, name: 'expires_at_1', expireAfterSeconds: 0 };
  const metadata = BSON.EJSON.stringify({ options: {}, indexes: [expiry] }, { relaxed: false });
  async function* documents() {
    yield Buffer.from(BSON.serialize({ _id: 'a', expires_at: new Date(0) }));
  }
  await store.write('test', 'claims', documents(), metadata);
  const seen = await passes();
  // The pass that runs now may have begun before the collection was there.
  while ((await passes()) < seen + 2) await pause(50);
  expect((await store.checksum('test', 'claims')).documents).toBe(1);
  await store.createIndexes('test', 'claims', metadata);
  while ((await store.checksum('test', 'claims')).documents > 0) await pause(50);
  await store.close();
  await client.close();
});
