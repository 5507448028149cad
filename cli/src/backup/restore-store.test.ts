import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { RestoreStore } from './restore-store.ts';

const { MongoClient, BSON } = mongoose.mongo;
const url = process.env.MONGODB_URL ?? '';
const database = `test_${randomBytes(6).toString('hex')}`;
const client = new MongoClient(url);
const store = new RestoreStore(url);
const admin = client.db('admin');

const setTtlMonitor = (ttlMonitorSleepSecs: number) => admin.command({ setParameter: 1, ttlMonitorSleepSecs });
const passes = async () => (await admin.command({ serverStatus: 1 })).metrics.ttl.passes as number;

beforeAll(() => setTtlMonitor(1));
afterAll(async () => {
  await setTtlMonitor(60);
  await store.drop(database);
  await store.close();
  await client.close();
});

test('documents that have expired since the backup stay until the indexes are made, so that they can be checked', async () => {
  const expiry = { v: 2, key: { expires_at: 1 }, name: 'expires_at_1', expireAfterSeconds: 0 };
  const metadata = BSON.EJSON.stringify({ options: {}, indexes: [expiry] }, { relaxed: false });
  async function* documents() {
    yield Buffer.from(BSON.serialize({ _id: 'a', expires_at: new Date(0) }));
  }
  await store.write(database, 'claims', documents(), metadata);
  const seen = await passes();
  // The pass that runs now may have begun before the collection was there.
  while ((await passes()) < seen + 2) await pause(50);
  expect((await store.checksum(database, 'claims')).documents).toBe(1);
  await store.createIndexes(database, 'claims', metadata);
  while ((await store.checksum(database, 'claims')).documents > 0) await pause(50);
});
