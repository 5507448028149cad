import { setImmediate as pendingIo } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import mongoose from 'mongoose';
import { connectStore, database, disconnectStore } from '../connection.ts';
import { operationsOn, patience, until, useTestStore } from '../testing/index.ts';
import { repeatingClient, text } from '../testing/repeating-client.ts';

useTestStore();

test('without a key the same body again is a new request once the first has succeeded', async () => {
  const { send, projects } = repeatingClient(false);
  expect(text(await send()).text).not.toBe(text(await send()).text);
  expect(await projects()).toBe(2);
});

test('without a key the same body again is a new request once the first was refused', async () => {
  const { send, projects } = repeatingClient(false);
  await expect(send(new AppError('client_not_active'))).rejects.toMatchObject({ code: 'client_not_active' });
  await send();
  expect(await projects()).toBe(2);
});

test('a refusal does not wait until its claim is deleted, and the same body again does', async () => {
  const { send, projects, id } = repeatingClient(false);
  const deletions = jest.spyOn(mongoose.mongo.Collection.prototype, 'deleteMany');
  const isDeleted = () => JSON.stringify(deletions.mock.calls).includes(id);
  await expect(send(new AppError('client_not_active'))).rejects.toMatchObject({ code: 'client_not_active' });
  expect(isDeleted()).toBe(false);
  await send();
  expect([isDeleted(), await projects()]).toEqual([true, 2]);
});

test('equal concurrent requests run one after another, each as a new request', async () => {
  const { send, projects } = repeatingClient(false);
  const replies = await Promise.all(Array.from({ length: 5 }, () => send()));
  expect(new Set(replies.map((reply) => text(reply).text)).size).toBe(5);
  expect(await projects()).toBe(5);
});

test('equal requests of one process wait for each other without asking for their row', async () => {
  const { send } = repeatingClient(false);
  const asked = await operationsOn('repeatable_requests', () => Promise.all(Array.from({ length: 5 }, () => send())));
  expect(asked.filter(({ op }) => op === 'query')).toEqual([]);
  expect(asked.filter(({ op }) => op === 'insert')).toHaveLength(5);
});

test('after a server failure the repeat finds the first attempt’s record', async () => {
  const { send, projects, begun } = repeatingClient(false);
  await expect(send(new AppError('unavailable'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(text(await send()).text).toBe(begun[0]);
  expect(await projects()).toBe(1);
});

test('a repeat waits for a dead attempt and finds its record', async () => {
  const { send, projects, begun } = repeatingClient(false);
  void send('dies', { leaseMs: 300 });
  await until(() => begun.length === 1);
  expect(text(await send()).text).toBe(begun[0]);
  expect(await projects()).toBe(1);
});

test('a repeat of a request whose response was lost finds its record', async () => {
  const { send, projects, begun } = repeatingClient(false);
  const gone = new AbortController();
  const answer = Promise.withResolvers<'answers'>();
  const first = send(answer.promise, { signal: gone.signal });
  await until(() => begun.length === 1);
  gone.abort();
  answer.resolve('answers');
  await first;
  expect(text(await send()).text).toBe(begun[0]);
  expect(await projects()).toBe(1);
});

test('an attempt whose caller disconnects while it waits for its own repeat never starts', async () => {
  const { send, begun, projects } = repeatingClient(false);
  const repeatEnds = Promise.withResolvers<'answers'>();
  const repeat = send(repeatEnds.promise);
  await until(() => begun.length === 1);
  const gone = new AbortController();
  const waiting = send('answers', { signal: gone.signal });
  gone.abort();
  repeatEnds.resolve('answers');
  await repeat;
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  expect(await projects()).toBe(1);
});

test('a claim whose answer is lost is made again, and its request runs once', async () => {
  const { send, begun, projects } = repeatingClient(false);
  const { command } = mongoose.mongo.Db.prototype;
  jest.spyOn(mongoose.mongo.Db.prototype, 'command').mockImplementationOnce(async function (this: mongoose.mongo.Db, ...args) {
    await command.apply(this, args);
    throw new mongoose.mongo.MongoNetworkError('the connection broke');
  });
  expect(text(await send()).text).toBe(begun[0]);
  expect([begun.length, await projects()]).toEqual([1, 1]);
});

test('what was answered before a process stopped is forgotten: the same body again is a new request', async () => {
  const { send, projects } = repeatingClient(false);
  const first = text(await send()).text;
  const { databaseName } = database();
  // The response is sent within two ticks.
  for (let tick = 0; tick < 2; tick++) await pendingIo();
  await disconnectStore();
  await connectStore(process.env.MONGODB_URL ?? '', databaseName, patience);
  // Of another process, which does not know the rows of this one.
  const again = text(await send('answers', { leaseMs: 2_000 })).text;
  expect([again === first, await projects()]).toEqual([false, 2]);
});

test.each(['before it came', 'while it was claimed'])('an attempt whose caller disconnects %s leaves nothing behind', async (when) => {
  const { send, begun, projects, id } = repeatingClient(false);
  const gone = new AbortController();
  if (when === 'before it came') gone.abort();
  const attempt = send('answers', { signal: gone.signal });
  gone.abort();
  await expect(attempt).rejects.toMatchObject({ code: 'unavailable' });
  const rows = database().collection<{ _id: string }>('repeatable_requests');
  // Rows are deleted with w: 1, so a read with read concern majority may still see one.
  const row = await rows.findOne({ _id: id }, { readConcern: 'local' });
  expect([begun.length, await projects(), row]).toEqual([0, 0, null]);
});
