import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { runInTransactionOnce } from '../idempotency/handled-events.ts';
import { defineModel } from '../model/define-model.ts';
import { batchedAll, scoped } from '../scoped.ts';
import { isDuplicate } from '../store-errors.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { batchedInsert, batchedUpdate, writeBatch } from './batched-writes.ts';
import { insertChange } from './change.ts';

const Clients = defineModel<{ email: string }>(
  'clients',
  { email: { type: String, required: true } },
  { indexes: [[{ org_id: 1, email: 1 }, { unique: true }]] },
);

useTestStore();

const caller = testCaller(randomUUID());
const addClient = (email: string, _id = randomUUID()) => insertChange(Clients, caller, new Change({ _id, email }, []));

test('inserts of one event-loop tick are one write', async () => {
  const operations = await operationsOn('clients', () => Promise.all(Array.from({ length: 20 }, (_, n) => addClient(`${n}`))));
  expect(operations).toMatchObject([{ op: 'insert', ninserted: 20 }]);
});

test('a refused insert fails alone among concurrent ones, with its reason', async () => {
  await addClient('taken');
  const results = await Promise.allSettled(['one', 'taken', 'two'].map((email) => addClient(email)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const [refusal] = results.filter((result) => result.status === 'rejected');
  expect(isDuplicate(refusal?.reason, 'email')).toBe(true);
  expect(await scoped(Clients, caller).count({ email: 'two' })).toBe(1);
});

test('exactly one of twenty concurrent inserts of an email succeeds', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => addClient('same')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('twenty concurrent inserts of an id store one record, and all return it', async () => {
  const _id = randomUUID();
  const records = await Promise.all(Array.from({ length: 20 }, (_, n) => addClient(`id ${n}`, _id)));
  expect(new Set(records.map(({ email }) => email)).size).toBe(1);
});

test('a record that violates its model is refused before any write', async () => {
  const operations = await operationsOn('clients', async () => {
    await expect(addClient(undefined as unknown as string)).rejects.toThrow('`email` is required');
  });
  expect(operations).toEqual([]);
});

const Parcels = defineModel<{ text: string; tries: number }>('parcels', { text: String, tries: Number });
const add = batchedInsert(Parcels);
const change = batchedUpdate(Parcels);
const all = batchedAll(Parcels, ['text']);
const parcel = (_id: string = randomUUID()) => ({ _id, text: 'a', tries: 0 });
const stored = ({ org_id }: { org_id: string }) => scoped(Parcels, { org_id }).find({});

test('inserts of one event-loop tick are one write, each in its own organization', async () => {
  const [one, other] = [{ org_id: randomUUID() }, { org_id: randomUUID() }];
  const operations = await operationsOn('parcels', async () => {
    expect(await Promise.all([add(one, parcel()), add(other, parcel()), add(one, parcel())])).toEqual([true, true, true]);
  });
  expect(operations.map(({ op, ninserted }) => [op, ninserted])).toEqual([['insert', 3]]);
  expect([(await stored(one)).length, (await stored(other)).length]).toEqual([2, 1]);
});

test('an insert with a taken _id returns false, changes nothing, and does not block the others', async () => {
  const org = { org_id: randomUUID() };
  const taken = parcel();
  await add(org, taken);
  expect(await Promise.all([add(org, parcel()), add(org, { ...taken, text: 'b' }), add(org, parcel())])).toEqual([true, false, true]);
  expect((await stored(org)).map(({ text }) => text)).toEqual(['a', 'a', 'a']);
});

test('an insert that MongoDB refuses fails alone', async () => {
  const org = { org_id: randomUUID() };
  const huge = { ...parcel(), text: 'x'.repeat(17 * 1024 ** 2) };
  await expect(add(org, huge)).rejects.toThrow();
  expect(await add(org, parcel())).toBe(true);
});

test('updates of one event-loop tick are one write, and reach only records of their own organization', async () => {
  const [one, other] = [{ org_id: randomUUID() }, { org_id: randomUUID() }];
  const [mine, second, theirs] = [parcel(), parcel(), parcel()];
  await Promise.all([add(one, mine), add(one, second), add(other, theirs)]);
  const operations = await operationsOn('parcels', () =>
    Promise.all([mine, second, theirs].map(({ _id }) => change(one, { _id }, { $set: { text: 'b' }, $inc: { tries: 1 } }))),
  );
  expect(new Set(operations.map(({ op }) => op))).toEqual(new Set(['update']));
  expect((await stored(one)).map(({ text, tries }) => [text, tries])).toEqual([
    ['b', 1],
    ['b', 1],
  ]);
  expect((await stored(other)).map(({ text }) => text)).toEqual(['a']);
});

test("concurrent reads of all of an organization's records share one query, across organizations", async () => {
  const [one, other] = [{ org_id: randomUUID() }, { org_id: randomUUID() }];
  await Promise.all([add(one, parcel()), add(one, parcel()), add(other, parcel())]);
  const operations = await operationsOn('parcels', async () => {
    const found = await Promise.all([all(one), all(other), all(one), all({ org_id: randomUUID() })]);
    expect(found.map((records) => records.length)).toEqual([2, 1, 2, 0]);
    expect(found[0]?.every(({ org_id }) => org_id === one.org_id)).toBe(true);
  });
  expect(operations).toHaveLength(1);
});

const Counts = defineModel<{ name: string; total: number }>('batched_counts', { name: String, total: Number });

const totals = async (...orgs: string[]) =>
  Promise.all(
    orgs.map(async (org_id) => (await scoped(Counts, { org_id }).find({})).map(({ name, total, revision }) => [name, total, revision])),
  );

test('one transaction inserts records and creates and increments numbers of several organizations', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const first = { name: 'counted' };
  for (const key of [randomUUID(), randomUUID()]) {
    await runInTransactionOnce(key, (session) =>
      writeBatch(Counts, session, [
        { org_id: one, _id: `${one} counted`, first, add: { total: 2 } },
        { org_id: other, _id: `${other} counted`, first, add: { total: 3 } },
        { org_id: other, record: { _id: randomUUID(), name: 'added', total: 0 } },
      ]),
    );
  }
  expect(await totals(one, other)).toEqual([
    [['counted', 4, 1]],
    expect.arrayContaining([
      ['counted', 6, 1],
      ['added', 0, 1],
    ]),
  ]);
});

test('a failed batch writes nothing', async () => {
  const org_id = randomUUID();
  const record = { _id: randomUUID(), name: 'twice', total: 0 };
  const failing = runInTransactionOnce(randomUUID(), (session) =>
    writeBatch(Counts, session, [
      { org_id, _id: `${org_id} counted`, first: { name: 'counted' }, add: { total: 1 } },
      { org_id, record },
      { org_id, record },
    ]),
  );
  await expect(failing).rejects.toThrow('duplicate key');
  expect(await totals(org_id)).toEqual([[]]);
});

test('a record of another organization with the same id is not incremented', async () => {
  const [one, other, _id] = [randomUUID(), randomUUID(), randomUUID()];
  const adding = (org_id: string) =>
    runInTransactionOnce(randomUUID(), (session) =>
      writeBatch(Counts, session, [{ org_id, _id, first: { name: 'own' }, add: { total: 1 } }]),
    );
  await adding(one);
  await expect(adding(other)).rejects.toThrow('duplicate key');
  expect(await totals(one, other)).toEqual([[['own', 1, 1]], []]);
});

test('a batch requires an organization', async () => {
  const nobodys = runInTransactionOnce(randomUUID(), (session) =>
    writeBatch(Counts, session, [{ org_id: '', _id: 'a', first: {}, add: { total: 1 } }]),
  );
  await expect(nobodys).rejects.toThrow(TypeError);
});

test('concurrent batches on the same numbers are all counted', async () => {
  const org_id = randomUUID();
  const add = () =>
    runInTransactionOnce(randomUUID(), (session) =>
      writeBatch(Counts, session, [{ org_id, _id: org_id, first: { name: 'busy' }, add: { total: 1 } }]),
    );
  await add();
  await Promise.all([add(), add()]);
  expect(await totals(org_id)).toEqual([[['busy', 3, 1]]]);
});
