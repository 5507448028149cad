import { randomUUID } from 'node:crypto';
import { database } from '../connection.ts';
import { defineModel } from '../model/define-model.ts';
import type { Session } from '../model/scope.ts';
import { scoped } from '../scoped.ts';
import { answered } from '../store-errors.ts';
import { until, useTestStore } from '../testing/index.ts';
import { inTransaction } from './transaction.ts';

const Counts = defineModel<{ count: number }>('counts', { count: Number });
/** No machine exceeds it. */
const patient = () => ({ deadlineAt: Date.now() + 120_000 });

useTestStore();

async function counter() {
  const org_id = randomUUID();
  await scoped(Counts, { org_id }).insert({ _id: org_id, count: 0 });
  const add = async (session: Session) =>
    void (await scoped(Counts, { org_id, session }).updateOne({ _id: org_id }, { $inc: { count: 1 } }));
  return { add, count: async () => (await scoped(Counts, { org_id }).findOne({ _id: org_id }))?.count };
}

/** As MongoDB does with a transaction that takes too long. */
const end = ({ id }: Session) => database().command({ killSessions: [{ id: id?.id }] });

test('of forty transactions on one record none is lost, even if one of them holds it for many attempts of the others', async () => {
  const { add, count } = await counter();
  const others = 39;
  const seven = 7;
  let [attempts, ended] = [0, 0];
  const holding = inTransaction(
    Counts,
    async (session) => {
      await add(session);
      await until(() => attempts > others * seven || ended === others);
    },
    patient(),
  );
  const adding = Array.from({ length: others }, () =>
    inTransaction(
      Counts,
      (session) => {
        attempts++;
        return add(session);
      },
      patient(),
    ).finally(() => ended++),
  );
  await Promise.all([holding, ...adding]);
  expect(await count()).toBe(others + 1);
});

test.each([
  ['between its writes', true],
  ['before its commit', false],
])('a transaction that MongoDB ends %s runs again, and its writes are made once', async (_when, addsAfterwards) => {
  const { add, count } = await counter();
  let runs = 0;
  await inTransaction(
    Counts,
    async (session) => {
      const isFirst = ++runs === 1;
      await add(session);
      if (isFirst) await end(session);
      if (addsAfterwards) await add(session);
    },
    patient(),
  );
  expect(await count()).toBe(addsAfterwards ? 2 : 1);
});

test('a transaction that takes longer than MongoDB allows, in the middle of a write, runs again, and its writes are made once', async () => {
  const { add, count } = await counter();
  const slowWrites = database().collection(Counts.collection);
  let runs = 0;
  await inTransaction(
    Counts,
    async (session) => {
      await add(session);
      // `transactionLifetimeLimitSeconds` of the platform is 5.
      const slowly = () =>
        answered('update', Counts, () => slowWrites.updateMany({ $where: 'sleep(10000) || false' }, { $inc: { count: 1 } }, { session }));
      if (++runs === 1) await slowly();
    },
    patient(),
  );
  expect([runs, await count()]).toEqual([2, 1]);
});

test('a transaction that meets conflicts until its deadline is `overloaded`, and so is one that begins later', async () => {
  const { add, count } = await counter();
  let runs = 0;
  const losing = async (session: Session) => {
    await scoped(Counts, { org_id: 'none', session }).findOne({});
    runs++;
    await inTransaction(Counts, add);
    await add(session);
  };
  await expect(inTransaction(Counts, losing, { deadlineAt: Date.now() + 2_000 })).rejects.toMatchObject({ code: 'overloaded' });
  expect(await count()).toBe(runs);
  await expect(inTransaction(Counts, add, { deadlineAt: Date.now() - 1 })).rejects.toMatchObject({ code: 'overloaded' });
  expect(await count()).toBe(runs);
});

test('what the work throws is thrown, after one run that leaves nothing behind', async () => {
  const { add, count } = await counter();
  let runs = 0;
  const refused = inTransaction(Counts, async (session) => {
    runs++;
    await add(session);
    throw new RangeError('refused');
  });
  await expect(refused).rejects.toThrow('refused');
  expect([runs, await count()]).toEqual([1, 0]);
});
