import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import mongoose from 'mongoose';
import { defineModel } from '../model/define-model.ts';
import { between } from '../model/scope.ts';
import { scoped } from '../scoped.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange, removeChange, saveChange } from '../write/change.ts';
import { KeptTotals, maxExactTotal } from './kept-totals.ts';

const Projects = defineModel<{ name: string; status: string }>(
  'projects',
  { name: String, status: String },
  { raisesEvents: true, indexes: [[{ org_id: 1, status: 1 }], [{ org_id: 1, name: 1 }]] },
);

useTestStore();

const totals = new KeptTotals(Projects);

const add = (org_id: string, status = 'active') =>
  insertChange(Projects, { org_id }, new Change({ _id: randomUUID(), name: 'Bakery', status }, []));

async function withProjects(count: number, org_id: string = randomUUID()) {
  const rows = Array.from({ length: count }, () => ({
    _id: randomUUID(),
    org_id,
    revision: 1,
    name: 'Bakery',
    status: 'active',
    outbox: [],
  }));
  if (rows.length > 0) await mongoose.connection.collection<{ _id: string }>('projects').insertMany(rows);
  return testCaller(org_id);
}

test('equal concurrent totals take two queries: the running one, and one for all later callers', async () => {
  const caller = await withProjects(3);
  const operations = await operationsOn('projects', async () => {
    const counts = await Promise.all(Array.from({ length: 50 }, () => totals.of(caller, { status: 'active' })));
    expect(new Set(counts)).toEqual(new Set([3]));
  });
  expect(operations).toHaveLength(2);
});

test('a total up to the bound is never older than its call', async () => {
  const caller = await withProjects(1);
  const { countDocuments } = mongoose.mongo.Collection.prototype;
  const [counted, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // MongoDB has counted, but its answer is held back until the test releases it.
  jest.spyOn(mongoose.mongo.Collection.prototype, 'countDocuments').mockImplementationOnce(async function (this: unknown, ...query) {
    const count = await countDocuments.apply(this as mongoose.mongo.Collection, query);
    counted.resolve();
    await answer.promise;
    return count;
  });
  const early = totals.of(caller, {});
  await counted.promise;
  await scoped(Projects, caller).insert({ _id: randomUUID(), name: 'Bakery', status: 'active' });
  const late = totals.of(caller, {});
  answer.resolve();
  expect(await Promise.all([early, late])).toEqual([1, 2]);
});

test('totals with other filters or organizations are separate', async () => {
  const [one, other] = [await withProjects(1), await withProjects(1)];
  await add(one.principal.org_id, 'archived');
  const counts = [totals.of(one, {}), totals.of(one, { status: 'active' }), totals.of(other, {})];
  expect(await Promise.all(counts)).toEqual([2, 1, 1]);
});

test('a total reads only the index, and up to the bound', async () => {
  const caller = await withProjects(maxExactTotal + 200);
  const operations = await operationsOn('projects', () => totals.of(caller, { ...between('name', 'A', 'Z') }));
  expect(operations).toMatchObject([{ docsExamined: 0 }]);
  expect(operations[0]?.keysExamined).toBeLessThanOrEqual(maxExactTotal + 2);
});

test('a total beyond the bound is counted once, and kept', async () => {
  const caller = await withProjects(maxExactTotal + 200);
  const operations = await operationsOn('projects', async () => {
    for (let asked = 0; asked < 20; asked++) expect(await totals.of(caller, { status: 'active' })).toBe(maxExactTotal + 200);
  });
  expect(operations).toHaveLength(2);
});

test('a kept total has the own changes of this process in it: inserted, changed and removed records', async () => {
  const org_id = randomUUID();
  const caller = await withProjects(maxExactTotal + 200, org_id);
  const both = async () => [await totals.of(caller, {}), await totals.of(caller, { status: 'active' })];
  const before = maxExactTotal + 200;
  expect(await both()).toEqual([before, before]);
  const project = await add(org_id);
  expect(await both()).toEqual([before + 1, before + 1]);
  const archived = await saveChange(Projects, caller, project, new Change({ status: 'archived' }, []));
  expect(await both()).toEqual([before + 1, before]);
  await removeChange(Projects, caller, archived, [{ type: 'internal.template.deleted', data: { template_id: '' } }]);
  expect(await both()).toEqual([before, before]);
});

test('a kept total is exact again when own deletions bring it down to the bound', async () => {
  const org_id = randomUUID();
  const caller = await withProjects(maxExactTotal, org_id);
  const last = await add(org_id);
  expect(await totals.of(caller, {})).toBe(maxExactTotal + 1);
  await scoped(Projects, caller).deleteOne({ name: 'Bakery', _id: (await scoped(Projects, caller).findOne({}))?._id ?? '' });
  await removeChange(Projects, caller, last, [{ type: 'internal.template.deleted', data: { template_id: '' } }]);
  expect(await totals.of(caller, {})).toBeLessThanOrEqual(maxExactTotal);
});

test('a large total of a range is not counted to its end: it says that there are more', async () => {
  const caller = await withProjects(maxExactTotal + 200);
  expect(await totals.of(caller, { ...between('name', 'A', 'Z') })).toBe(maxExactTotal + 1);
});
