import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { isDuplicate } from '../store-errors.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange } from './change.ts';

const Clients = defineModel<{ email: string }>(
  'clients',
  { email: { type: String, required: true } },
  { indexes: [[{ org_id: 1, email: 1 }, { unique: true }]] },
);

useTestStore();

const caller = testCaller(randomUUID());
const add = (email: string, _id = randomUUID()) => insertChange(Clients, caller, new Change({ _id, email }, []));

test('inserts of one event-loop tick are one write', async () => {
  const operations = await operationsOn('clients', () => Promise.all(Array.from({ length: 20 }, (_, n) => add(`${n}`))));
  expect(operations).toMatchObject([{ op: 'insert', ninserted: 20 }]);
});

test('a refused insert fails alone among concurrent ones, with its reason', async () => {
  await add('taken');
  const results = await Promise.allSettled(['one', 'taken', 'two'].map((email) => add(email)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const [refusal] = results.filter((result) => result.status === 'rejected');
  expect(isDuplicate(refusal?.reason, 'email')).toBe(true);
  expect(await scoped(Clients, caller).count({ email: 'two' })).toBe(1);
});

test('exactly one of twenty concurrent inserts of an email succeeds', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => add('same')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('twenty concurrent inserts of an id store one record, and all return it', async () => {
  const _id = randomUUID();
  const records = await Promise.all(Array.from({ length: 20 }, (_, n) => add(`id ${n}`, _id)));
  expect(new Set(records.map(({ email }) => email)).size).toBe(1);
});

test('a record that violates its model is refused before any write', async () => {
  const operations = await operationsOn('clients', async () => {
    await expect(add(undefined as unknown as string)).rejects.toThrow('`email` is required');
  });
  expect(operations).toEqual([]);
});
