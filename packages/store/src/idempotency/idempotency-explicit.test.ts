import { AppError } from '@webkiln/contract';
import { database } from '../connection.ts';
import { operationsOn, until, useTestStore } from '../testing/index.ts';
import { repeatingClient, text } from '../testing/repeating-client.ts';

useTestStore();

/** As if the time had come. */
const endLease = (_id: string) =>
  database()
    .collection<{ _id: string }>('repeatable_requests')
    .updateOne({ _id }, { $set: { lease_until: new Date(0) } });

test('fifty equal requests at once take effect once; the others learn that it is running', async () => {
  const { send, projects, begun } = repeatingClient(true);
  const { promise: end, resolve } = Promise.withResolvers<'answers'>();
  const requests = Array.from({ length: 50 }, () => send(end));
  let refused = 0;
  for (const request of requests) request.catch(({ code }) => code === 'request_in_flight' && refused++);
  await until(() => refused === 49);
  resolve('answers');
  expect((await Promise.allSettled(requests)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect([begun.length, await projects()]).toEqual([1, 1]);
});

test('a repeat returns the outcome of the first request, marked as replayed', async () => {
  const { send, begun } = repeatingClient(true);
  const first = text(await send());
  expect(text(await send())).toMatchObject({ text: first.text, replayed: true });
  expect(begun).toHaveLength(1);
});

test('a caller’s error is replayed too, with its details', async () => {
  const { send, begun } = repeatingClient(true);
  const refusal = new AppError('validation_failed', [{ path: 'name', message: 'is too long' }]);
  await expect(send(refusal)).rejects.toBe(refusal);
  await expect(send()).rejects.toMatchObject({ code: 'validation_failed', details: refusal.details });
  expect(begun).toHaveLength(1);
});

test('the same key with another body is refused, during and after the first request', async () => {
  const { send } = repeatingClient(true);
  void send('dies');
  await expect(send('answers', { body: 'other' })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  const done = repeatingClient(true);
  await done.send();
  await expect(done.send('answers', { body: 'other' })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
});

test.each(['unavailable', 'internal'] as const)('after %s the repeat runs again and finds the existing record', async (code) => {
  const { send, projects, begun } = repeatingClient(true);
  await expect(send(new AppError(code))).rejects.toMatchObject({ code });
  expect(text(await send())).toMatchObject({ text: begun[0], replayed: false });
  expect(await projects()).toBe(1);
});

test('exactly one repeat takes over a dead attempt, after its lease, and finds its record', async () => {
  const { send, begun, projects, id } = repeatingClient(true);
  void send('dies');
  await until(() => begun.length === 1);
  await expect(send()).rejects.toMatchObject({ code: 'request_in_flight' });
  await endLease(id);
  const { promise: end, resolve } = Promise.withResolvers<'answers'>();
  const requests = Array.from({ length: 50 }, () => send(end));
  let refused = 0;
  for (const request of requests) request.catch(({ code }) => code === 'request_in_flight' && refused++);
  await until(() => refused === 49);
  resolve('answers');
  await Promise.allSettled(requests);
  expect([new Set(begun).size, begun.length, await projects()]).toEqual([1, 2, 1]);
});

test('an attempt that outlived its lease cannot replace the later attempt’s outcome', async () => {
  const { send, begun, id } = repeatingClient(true);
  const { promise: end, resolve } = Promise.withResolvers<AppError>();
  const asleep = send(end);
  await until(() => begun.length === 1);
  await endLease(id);
  await send();
  resolve(new AppError('client_not_active'));
  await expect(asleep).rejects.toMatchObject({ code: 'client_not_active' });
  expect(text(await send())).toMatchObject({ text: begun[0], replayed: true });
});

test('requests of one event-loop tick are claimed in one insert, and only a repeat among them fails', async () => {
  const known = repeatingClient(true);
  await known.send();
  const clients = Array.from({ length: 20 }, () => repeatingClient(true));
  const operations = await operationsOn('repeatable_requests', async () => {
    const replies = await Promise.all([known, ...clients].map(({ send }) => send()));
    expect(replies.map((reply) => text(reply).replayed)).toEqual([true, ...clients.map(() => false)]);
  });
  expect(operations.filter(({ op }) => op === 'insert')).toHaveLength(1);
});

test('the same key of another credential is another request', async () => {
  const [one, other] = [repeatingClient(true), repeatingClient(true)];
  expect(text(await one.send()).text).not.toBe(text(await other.send()).text);
});
