import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { defineModel } from '../model/define-model.ts';
import { between } from '../model/scope.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { maxExactTotal } from './kept-totals.ts';
import { coalescedPage } from './pages.ts';

const Plans = defineModel<{ name: string; rank: number; at: string }>(
  'plans',
  { name: String, rank: Number, at: String },
  { indexes: [[{ org_id: 1, rank: 1, at: -1, _id: 1 }]] },
);

useTestStore();

const planPage = coalescedPage(Plans, { fields: ['name', 'rank', 'at'], sort: { rank: 1, at: -1, _id: 1 } });

/** Many plans share a rank, and several a rank and a time. */
async function withPlans(count: number) {
  const org_id = randomUUID();
  const rows = Array.from({ length: count }, (_, index) => ({
    _id: randomUUID(),
    org_id,
    revision: 1,
    name: `${index}`,
    rank: index % 3,
    at: `${Math.floor(index / 10) % 7}`,
    outbox: [],
  }));
  await mongoose.connection.collection<{ _id: string }>('plans').insertMany(rows);
  const inOrder = rows.toSorted((a, b) => a.rank - b.rank || b.at.localeCompare(a.at) || (a._id < b._id ? -1 : 1));
  return { caller: testCaller(org_id), names: inOrder.map(({ name }) => name) };
}

const namesOf = (records: readonly { name: string }[]) => records.map(({ name }) => name);

test.each([1, 7, 50])('cursors of pages of %d lead through the whole list, each record once and in order', async (limit) => {
  const { caller, names } = await withPlans(100);
  const seen: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const page = await planPage(caller, {}, { limit, offset: seen.length, cursor });
    expect(page.total).toBe(100);
    seen.push(...namesOf(page.records));
    cursor = page.next_cursor;
    isMore = cursor !== '';
  }
  expect(seen).toEqual(names);
});

test('a cursor keeps its place when records before it are added', async () => {
  const { caller, names } = await withPlans(30);
  const { next_cursor: cursor } = await planPage(caller, {}, { limit: 10, offset: 0 });
  const first = { _id: randomUUID(), org_id: caller.principal.org_id, revision: 1, name: 'new', rank: -1, at: '9', outbox: [] };
  await mongoose.connection.collection<{ _id: string }>('plans').insertOne(first);
  expect(namesOf((await planPage(caller, {}, { limit: 10, offset: 10, cursor })).records)).toEqual(names.slice(10, 20));
});

test('a cursor and a filter of the same field both hold', async () => {
  const { caller } = await withPlans(100);
  const filter = { rank: 1, ...between('at', '2', '5') };
  const { records, total } = await planPage(caller, filter, { limit: 100, offset: 0 });
  const { next_cursor: cursor } = await planPage(caller, filter, { limit: 5, offset: 0 });
  const rest = await planPage(caller, filter, { limit: 100, offset: 5, cursor });
  expect(namesOf(rest.records)).toEqual(namesOf(records).slice(5));
  expect(rest.total).toBe(total);
});

test('a page after a cursor reads no more index entries at the end of a list than at its start', async () => {
  const { caller } = await withPlans(2_000);
  const { next_cursor: cursor } = await planPage(caller, {}, { limit: 10, offset: 1_900 });
  await planPage(caller, {}, { limit: 10, offset: 0 });
  const operations = await operationsOn('plans', () => planPage(caller, {}, { limit: 10, offset: 1_910, cursor }));
  const reads = operations.filter(({ op }) => op === 'query');
  expect(reads.length).toBeGreaterThan(0);
  for (const read of reads) expect(read).toMatchObject({ planSummary: 'IXSCAN { org_id: 1, rank: 1, at: -1, _id: 1 }' });
  expect(reads.reduce((sum, { keysExamined }) => sum + Number(keysExamined), 0)).toBeLessThanOrEqual(20);
});

test('an offset far into a list reads the records of its page alone', async () => {
  const { caller, names } = await withPlans(1_000);
  let found: string[] = [];
  const operations = await operationsOn('plans', async () => {
    found = namesOf((await planPage(caller, {}, { limit: 10, offset: 900 })).records);
  });
  expect(found).toEqual(names.slice(900, 910));
  expect(operations.reduce((sum, { docsExamined = 0 }) => sum + Number(docsExamined), 0)).toBeLessThanOrEqual(11);
});

test('a list that fits on its page is not counted', async () => {
  const { caller } = await withPlans(20);
  const operations = await operationsOn('plans', async () => {
    expect(await planPage(caller, {}, { limit: 20, offset: 0 })).toMatchObject({ total: 20 });
  });
  expect(operations).toMatchObject([{ op: 'query' }]);
});

test.each(['', 'x', 'null', '[]', '["a"]', '[1,{"$gt":0},"a"]'])('a cursor that no page had is ignored: %s', async (text) => {
  const { caller, names } = await withPlans(5);
  const cursor = Buffer.from(text).toString('base64url');
  expect(namesOf((await planPage(caller, {}, { limit: 2, offset: 1, cursor })).records)).toEqual(names.slice(1, 3));
});

test('a cursor of another list shows no other organization’s records', async () => {
  const [one, other] = [await withPlans(20), await withPlans(20)];
  const { next_cursor: cursor } = await planPage(one.caller, {}, { limit: 1, offset: 0 });
  const { records } = await planPage(other.caller, {}, { limit: 100, offset: 0, cursor });
  expect(records.every(({ org_id }) => org_id === other.caller.principal.org_id)).toBe(true);
});

test('a total never says that a list ends where the page shows more', async () => {
  const { caller } = await withPlans(maxExactTotal + 500);
  const filter = { ...between('at', '0', '9') };
  const { total, next_cursor } = await planPage(caller, filter, { limit: 10, offset: maxExactTotal + 100 });
  expect(next_cursor).not.toBe('');
  expect(total).toBeGreaterThan(maxExactTotal + 110);
});
