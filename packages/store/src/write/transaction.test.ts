import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import mongoose from 'mongoose';
import { connectStore, database, disconnectStore } from '../connection.ts';
import { defineModel } from '../model/define-model.ts';
import { createIndexes } from '../model/indexes.ts';
import type { Session } from '../model/scope.ts';
import { scoped } from '../scoped.ts';
import { answered, isDuplicate } from '../store-errors.ts';
import { mongodbUrlBy, patience, until, useTestStore } from '../testing/index.ts';
import { inTransaction } from './transaction.ts';

describe('transaction', () => {
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
});

describe('transaction connection', () => {
  const Counts = defineModel<{ count: number }>('counts_of_connections', { count: Number });

  /** How the next of these commands break their connection: MongoDB never gets them, or its answer is lost. */
  let fates: ('lost' | 'answer lost')[] = [];
  const breaking = ['commitTransaction', 'breaks the connection'];

  /** The network path to MongoDB. */
  function carry(near: Socket, { hostname, port }: URL): void {
    const far = connect(Number(port), hostname);
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    far.pipe(near);
    near.on('data', (sent) => {
      const fate = breaking.some((command) => sent.includes(command)) ? fates.shift() : undefined;
      if (fate === 'lost') return end();
      if (fate === 'answer lost') far.unpipe(near).once('data', end).resume();
      far.write(sent);
    });
  }

  const direct = mongoose.createConnection();
  const way = createServer((near) => carry(near, new URL(process.env.MONGODB_URL ?? '')));

  beforeAll(async () => {
    await once(way.listen(0, '127.0.0.1'), 'listening');
    await direct.openUri(process.env.MONGODB_URL ?? '');
    const { port } = way.address() as AddressInfo;
    await connectStore(mongodbUrlBy(port), `test_${randomUUID()}`, patience);
    await createIndexes();
  });
  afterAll(async () => {
    await database().dropDatabase();
    await disconnectStore();
    await direct.close();
    way.close();
  });

  async function counter() {
    fates = [];
    const org_id = randomUUID();
    await scoped(Counts, { org_id }).insert({ _id: org_id, count: 0 });
    let runs = 0;
    const add = async (session: Session) => {
      runs++;
      await scoped(Counts, { org_id, session }).updateOne({ _id: org_id }, { $inc: { count: 1 } });
    };
    const count = async () => (await scoped(Counts, { org_id }).findOne({ _id: org_id }))?.count;
    return { org_id, add, count, runs: () => runs };
  }
  const patient = () => ({ deadlineAt: Date.now() + 120_000 });

  test.each(['lost', 'answer lost'] as const)(
    'a transaction whose connection breaks (%s) runs again, and its effect is there once',
    async (fate) => {
      const { org_id, add, count } = await counter();
      fates = [fate];
      const work = async (session: Session) => {
        await add(session);
        await scoped(Counts, { org_id, session }).findOne({ _id: 'breaks the connection' });
      };
      await inTransaction(Counts, work, patient());
      expect([await count(), fates]).toEqual([1, []]);
    },
  );

  test('a commit whose answer is lost is repeated, and its work is not', async () => {
    const { add, count, runs } = await counter();
    fates = Array(3).fill('answer lost');
    await inTransaction(Counts, add, patient());
    expect([runs(), await count(), fates]).toEqual([1, 1, []]);
  });

  test.each([
    ['still open', false],
    ['ended by MongoDB', true],
  ])('a lost commit is repeated while its transaction is %s, and the effect is there once', async (_state, hasEnded) => {
    const { add, count, runs } = await counter();
    fates = Array(3).fill('lost');
    await inTransaction(
      Counts,
      async (session) => {
        await add(session);
        if (hasEnded && runs() === 1) await direct.db?.command({ killSessions: [{ id: session.id?.id }] });
      },
      patient(),
    );
    expect([await count(), fates]).toEqual([1, []]);
  });

  test('a commit whose outcome stays unknown is `unavailable`, and a record’s id keeps a second transaction from repeating it', async () => {
    const { org_id, add, count } = await counter();
    const work = async (session: Session) => {
      await add(session);
      await scoped(Counts, { org_id, session }).insert({ _id: `claim of ${org_id}`, count: 0 });
    };
    fates = Array(1_000).fill('answer lost');
    await expect(inTransaction(Counts, work, { deadlineAt: Date.now() + 2_000 })).rejects.toMatchObject({ code: 'unavailable' });
    fates = [];
    await inTransaction(Counts, work, patient()).catch((error: unknown) => {
      if (!isDuplicate(error, '_id')) throw error;
    });
    expect(await count()).toBe(1);
  });
});
