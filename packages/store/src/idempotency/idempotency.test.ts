import { randomUUID } from 'node:crypto';
import { setImmediate as pendingIo } from 'node:timers/promises';
import { AppError } from '@webkiln/contract';
import { Change } from '@webkiln/messages';
import mongoose from 'mongoose';
import { connectStore, database, disconnectStore } from '../connection.ts';
import { defineModel } from '../model/define-model.ts';
import type { Session } from '../model/scope.ts';
import { scoped } from '../scoped.ts';
import { isDuplicate } from '../store-errors.ts';
import { operationsOn, patience, testCaller, until, useTestStore } from '../testing/index.ts';
import { repeatingClient, text } from '../testing/repeating-client.ts';
import { insertChange } from '../write/change.ts';
import { runAtLeastOnce, runInTransactionOnce, runTogetherOnce } from './handled-events.ts';
import { idempotencyGuard, newId, seedIds } from './idempotency.ts';

useTestStore();

describe('idempotency', () => {
  test('a call without an idempotency is passed on unchanged', async () => {
    const reply = Buffer.from('reply');
    const operations = await operationsOn('repeatable_requests', async () => {
      expect(await idempotencyGuard('projects.CreateProject', testCaller('org'), async () => reply)).toBe(reply);
    });
    expect(operations).toEqual([]);
  });

  test('rows expire after 24 h with a key, 10 min without', async () => {
    const rows = database().collection<{ _id: string; expires_at: Date; org_id: string }>('repeatable_requests');
    expect(await rows.indexes()).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
    for (const [explicit, minutes] of [
      [true, 24 * 60],
      [false, 10],
    ] as const) {
      const { send, id } = repeatingClient(explicit);
      const before = Date.now();
      await send(new AppError('unavailable')).catch(() => undefined);
      const row = await rows.findOne({ _id: id });
      const madeAt = (row?.expires_at.getTime() ?? 0) - minutes * 60_000;
      expect(madeAt).toBeGreaterThanOrEqual(before);
      expect(madeAt).toBeLessThanOrEqual(Date.now());
    }
  });

  const idempotency = { id: 'credential, route and key', body: 'body', explicit: true };
  const uuid = (version: number) => new RegExp(`^[\\da-f]{8}-[\\da-f]{4}-${version}[\\da-f]{3}-[89ab][\\da-f]{3}-[\\da-f]{12}$`);

  test('every attempt of a request derives the same ids, one per label, as UUIDs of version 8', () => {
    const [project, user] = [newId({ idempotency }), newId({ idempotency }, 'user')];
    expect([newId({ idempotency }), newId({ idempotency }, 'user')]).toEqual([project, user]);
    expect(project).not.toBe(user);
    expect(project).toMatch(uuid(8));
  });

  test('another request, or the same one as a new request, derives other ids', () => {
    const again = { ...idempotency };
    seedIds(again, 'a new beginning');
    const ids = [newId({ idempotency }), newId({ idempotency: again }), newId({ idempotency: { ...idempotency, id: 'another key' } })];
    expect(new Set(ids).size).toBe(3);
  });

  test('without an idempotency an id is random', () => {
    expect(newId({})).not.toBe(newId({}));
    expect(newId(undefined)).toMatch(uuid(4));
  });
});

describe('idempotency explicit', () => {
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
});

describe('idempotency implicit', () => {
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
});

describe('handled events', () => {
  const Tallies = defineModel<{ total: number }>('tallies', { total: Number });

  function tally() {
    const org_id = randomUUID();
    const add = (session: Session) =>
      scoped(Tallies, { org_id, session }).updateOne({ _id: org_id }, { $inc: { total: 1 } }, { upsert: true });
    const total = async () => (await scoped(Tallies, { org_id }).findOne({}))?.total ?? 0;
    return { key: `consumer ${org_id}`, org_id, add: async (session: Session) => void (await add(session)), total };
  }

  test('ten concurrent runs of one handler take effect once', async () => {
    const { key, add, total } = tally();
    const done = await Promise.all(Array.from({ length: 10 }, () => runInTransactionOnce(key, add)));
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await total()).toBe(1);
  });

  test('a failed handler leaves nothing behind and can run again', async () => {
    const { key, add, total } = tally();
    const failing = runInTransactionOnce(key, async (session) => {
      await add(session);
      throw new AppError('overloaded');
    });
    await expect(failing).rejects.toMatchObject({ code: 'overloaded' });
    expect(await total()).toBe(0);
    expect(await runInTransactionOnce(key, add)).toBe(true);
    expect(await total()).toBe(1);
  });

  test('a duplicate error of the handler is a failure, not a sign that the event was handled', async () => {
    const { key, org_id, add, total } = tally();
    await runInTransactionOnce(`${key} before`, add);
    const clash = (session: Session) =>
      insertChange(Tallies, { org_id, session }, new Change({ _id: org_id, total: 5 }, [])).then(() => undefined);
    const error = await runInTransactionOnce(key, clash).catch((thrown: unknown) => thrown);
    expect(isDuplicate(error, '_id')).toBe(true);
    expect(await total()).toBe(1);
  });

  test('claims expire after eight days', async () => {
    const indexes = await database().collection('handled_events').indexes();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { handled_at: 1 }, expireAfterSeconds: 8 * 24 * 3600 }));
  });

  test('of items that are handled together each takes effect once, and all or none if the handler fails', async () => {
    const tallies = Array.from({ length: 5 }, tally);
    const [first, second] = tallies;
    const run = (handler: (items: readonly ReturnType<typeof tally>[], session: Session) => Promise<void>) =>
      runTogetherOnce(tallies, ({ key }) => key, handler);
    const addAll = async (items: readonly ReturnType<typeof tally>[], session: Session) => {
      for (const { add } of items) await add(session);
    };
    const totals = () => Promise.all(tallies.map(({ total }) => total()));
    const failing = run(async (items, session) => {
      await addAll(items, session);
      throw new AppError('overloaded');
    });
    await expect(failing).rejects.toMatchObject({ code: 'overloaded' });
    expect(await totals()).toEqual([0, 0, 0, 0, 0]);
    for (const { key, add } of [first, second].flatMap((one) => one ?? [])) await runInTransactionOnce(key, add);
    expect(await run(addAll)).toEqual([false, false, true, true, true]);
    expect(await run(addAll)).toEqual([false, false, false, false, false]);
    expect(await totals()).toEqual([1, 1, 1, 1, 1]);
  });

  test('effects outside the database that end together are recorded together, also beside one that another process recorded', async () => {
    const keys = Array.from({ length: 5 }, () => randomUUID());
    const [first = ''] = keys;
    await runAtLeastOnce(first, async () => undefined);
    const ran: string[] = [];
    const runAll = () =>
      Promise.all(
        keys.map((key) =>
          runAtLeastOnce(key, async () => {
            ran.push(key);
            if (key === keys[1]) await database().collection<{ _id: string }>('handled_events').insertOne({ _id: key });
          }),
        ),
      );
    expect(await runAll()).toEqual([false, true, true, true, true]);
    expect(await runAll()).toEqual(keys.map(() => false));
    expect(ran).toEqual(keys.slice(1));
  });
});
