import { randomUUID } from 'node:crypto';
import { insertChange } from './change.ts';
import { defineModel } from './model.ts';
import { scoped } from './scoped.ts';
import { isDuplicate } from './store-errors.ts';
import { operationsOn, testCaller, useTestStore } from './testing.ts';

const Clients = defineModel<{ email: string }>(
  'clients',
  { email: { type: String, required: true } },
  { indexes: [[{ org_id: 1, email: 1 }, { unique: true }]] },
);

useTestStore();

const caller = testCaller(randomUUID());
const add = (email: string, _id = randomUUID()) => insertChange(Clients, caller, { state: { _id, email }, events: [] });

test('records that are added in one turn are one write', async () => {
  const operations = await operationsOn('clients', () => Promise.all(Array.from({ length: 20 }, (_, n) => add(`${n}`))));
  expect(operations).toMatchObject([{ op: 'insert', ninserted: 20 }]);
});

test('of records that are added at once, only the one that is refused fails, and is told why', async () => {
  await add('taken');
  const results = await Promise.allSettled(['one', 'taken', 'two'].map((email) => add(email)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const [refusal] = results.filter((result) => result.status === 'rejected');
  expect(isDuplicate(refusal?.reason, 'email')).toBe(true);
  expect(await scoped(Clients, caller).count({ email: 'two' })).toBe(1);
});

test('of twenty equal emails at once one is added', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => add('same')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('of twenty equal ids at once one is added, and all are given that record', async () => {
  const _id = randomUUID();
  const records = await Promise.all(Array.from({ length: 20 }, (_, n) => add(`id ${n}`, _id)));
  expect(new Set(records.map(({ email }) => email)).size).toBe(1);
});

test('a record that its model does not allow is refused before any write', async () => {
  const operations = await operationsOn('clients', async () => {
    await expect(add(undefined as unknown as string)).rejects.toThrow('`email` is required');
  });
  expect(operations).toEqual([]);
});
