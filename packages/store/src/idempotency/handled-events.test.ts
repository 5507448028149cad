import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { Change } from '@webkiln/messages';
import { database } from '../connection.ts';
import { defineModel } from '../model/define-model.ts';
import type { Session } from '../model/scope.ts';
import { scoped } from '../scoped.ts';
import { isDuplicate } from '../store-errors.ts';
import { useTestStore } from '../testing/index.ts';
import { insertChange } from '../write/change.ts';
import { runAtLeastOnce, runInTransactionOnce, runTogetherOnce } from './handled-events.ts';

const Tallies = defineModel<{ total: number }>('tallies', { total: Number });

useTestStore();

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
