import { randomUUID } from 'node:crypto';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { coalescedTally } from './coalesced-tallies.ts';

const Visits = defineModel<{ shop: string; kind: string; guest: string; at: string }>(
  'visits',
  { shop: String, kind: String, guest: String, at: String },
  { indexes: [[{ org_id: 1, shop: 1, kind: 1, at: -1 }]] },
);

useTestStore();

const tally = coalescedTally(Visits, { by: ['kind'], last: 'at', limit: 2 });

async function withVisits(visits: readonly (readonly [kind: string, at: string])[]) {
  const caller = testCaller(randomUUID());
  for (const [kind, at] of visits) await scoped(Visits, caller).insert({ _id: randomUUID(), shop: 'one', kind, at, guest: 'Ada' });
  return caller;
}

test('a tally counts an organization’s records by field values, the most recent first', async () => {
  await withVisits([['a', '9']]);
  const caller = await withVisits([
    ['a', '1'],
    ['b', '2'],
    ['a', '4'],
    ['c', '3'],
  ]);
  expect(await tally(caller, { shop: 'one' })).toEqual([
    { values: { kind: 'a' }, count: 2, last: '4' },
    { values: { kind: 'c' }, count: 1, last: '3' },
  ]);
  expect(await tally(caller, { shop: 'two' })).toEqual([]);
});

test('a covering index serves a tally without reading records, and equal concurrent tallies take two queries', async () => {
  const caller = await withVisits([
    ['a', '1'],
    ['b', '2'],
  ]);
  const operations = await operationsOn('visits', () => Promise.all(Array.from({ length: 20 }, () => tally(caller, { shop: 'one' }))));
  expect(operations).toMatchObject([
    { docsExamined: 0, keysExamined: 2 },
    { docsExamined: 0, keysExamined: 2 },
  ]);
});
