import { AppError } from '@webkiln/contract';
import { database } from './connection.ts';
import { repeatingClient, text } from './repeating-client.ts';
import { until, useTestStore } from './testing.ts';

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

test('equal requests at the same time run one after another, each for itself', async () => {
  const { send, projects } = repeatingClient(false);
  const replies = await Promise.all(Array.from({ length: 5 }, () => send()));
  expect(new Set(replies.map((reply) => text(reply).text)).size).toBe(5);
  expect(await projects()).toBe(5);
});

test('after a failure on our side the repeat finds what the first one made', async () => {
  const { send, projects, begun } = repeatingClient(false);
  await expect(send(new AppError('unavailable'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(text(await send()).text).toBe(begun[0]);
  expect(await projects()).toBe(1);
});

test('a repeat waits for an attempt that died and finds what it made', async () => {
  const { send, projects, begun } = repeatingClient(false);
  void send('dies', { leaseMs: 300 });
  await until(() => begun.length === 1);
  expect(text(await send()).text).toBe(begun[0]);
  expect(await projects()).toBe(1);
});

test('a repeat of a request whose answer nobody heard finds what it made', async () => {
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

test('an attempt whose caller went away while it waited for its own repeat never begins', async () => {
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

test.each(['before it came', 'while it was claimed'])('an attempt whose caller went away %s leaves nothing behind', async (when) => {
  const { send, begun, projects, id } = repeatingClient(false);
  const gone = new AbortController();
  if (when === 'before it came') gone.abort();
  const attempt = send('answers', { signal: gone.signal });
  gone.abort();
  await expect(attempt).rejects.toMatchObject({ code: 'unavailable' });
  const rows = database().collection<{ _id: string }>('repeatable_requests');
  expect([begun.length, await projects(), await rows.findOne({ _id: id })]).toEqual([0, 0, null]);
});
