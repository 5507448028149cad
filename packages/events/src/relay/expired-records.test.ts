import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { defineModel, insertChange, scoped } from '@webkiln/store';
import { testCaller, until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { closeEvents, connectEvents } from '../connection.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { deleted, marksOn, ownStream } from '../testing/template-records.ts';
import { startRelay } from './relay.ts';

const Attempts = defineModel<{ expires_at: Date }>(
  'attempts',
  { expires_at: Date },
  { raisesEvents: true, indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]] },
);

let nats: NatsServer;
const { stream, ...options } = ownStream();

const expireEvery = (ttlMonitorSleepSecs: number) => mongoose.connection.db?.admin().command({ setParameter: 1, ttlMonitorSleepSecs });
// Before the store is closed.
afterAll(() => expireEvery(60));
useTestStore();
beforeAll(() => expireEvery(1));

beforeEach(async () => {
  nats = await NatsServer.notYetStarted();
});
afterEach(async () => {
  await closeEvents();
  await nats.remove();
});

test('a record that expires while NATS is away stays until its event is published, and only until then', async () => {
  await connectEvents(nats.url, 'test', { stream, ...options });
  startRelay();
  const caller = testCaller(randomUUID());
  const isThere = async (_id: string) => (await scoped(Attempts, caller).findOne({ _id })) !== null;
  const expired = async (secondsAgo: number, waits: boolean) => {
    const state = { _id: randomUUID(), expires_at: new Date(Date.now() - secondsAgo * 1_000) };
    return (await insertChange(Attempts, caller, new Change(state, waits ? [deleted(state._id)] : [])))._id;
  };
  // Expired records are deleted in the order of their time: when the second is gone, the first was passed over.
  const [waiting, silent] = [await expired(60, true), await expired(30, false)];
  await until(async () => !(await isThere(silent)));
  expect(await isThere(waiting)).toBe(true);
  await nats.start();
  await until(async () => !(await isThere(waiting)));
  expect(await marksOn(stream, nats.url)).toEqual([waiting]);
});
