import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { defineModel } from '../model/model.ts';
import { scoped } from '../scoped.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange, removeChange } from '../write/change.ts';
import { batchedById, coalescedCount } from './batched-reads.ts';

const Projects = defineModel<{ name: string; status: string }>(
  'projects',
  { name: String, status: String },
  { raisesEvents: true, indexes: [[{ org_id: 1, status: 1 }]] },
);

useTestStore();

const projectById = batchedById(Projects);
const nameById = batchedById(Projects, ['name']);
const countOf = coalescedCount(Projects);

async function withProject() {
  const caller = testCaller(randomUUID());
  const state = { _id: randomUUID(), name: 'Bakery', status: 'active' };
  return { caller, project: await insertChange(Projects, caller, { state, events: [] }) };
}

test('reads of one event-loop tick are one query, across callers', async () => {
  const made = await Promise.all(Array.from({ length: 30 }, withProject));
  const operations = await operationsOn('projects', async () => {
    const found = await Promise.all(made.map(({ caller, project }) => projectById(caller, project._id)));
    expect(found).toEqual(made.map(({ project }) => project));
  });
  expect(operations).toMatchObject([{ op: 'query', nreturned: 30 }]);
});

test('a foreign record is null even when its owner reads it in the same query', async () => {
  const { caller, project } = await withProject();
  const foreign = testCaller(randomUUID());
  expect(await Promise.all([projectById(foreign, project._id), projectById(caller, project._id)])).toEqual([null, project]);
});

test.each(['nobody’s', '', '\0', '\ud800', '{"$ne":null}'])('an unknown id returns null: %p', async (id) => {
  const { caller } = await withProject();
  expect(await projectById(caller, id)).toBeNull();
});

test('only the requested fields are read', async () => {
  const { caller, project } = await withProject();
  const { _id, org_id } = project;
  expect(await nameById(caller, _id)).toEqual({ _id, org_id, revision: 1, name: 'Bakery' });
});

test('removed records are neither read nor counted', async () => {
  const { caller, project } = await withProject();
  await removeChange(Projects, caller, project, [{ type: 'internal.template.deleted', data: { template_id: '' } }]);
  expect([await projectById(caller, project._id), await countOf(caller, {})]).toEqual([null, 0]);
});

test('equal concurrent counts take two queries: the running one, and one for all later callers', async () => {
  const { caller } = await withProject();
  const operations = await operationsOn('projects', async () => {
    const counts = await Promise.all(Array.from({ length: 50 }, () => countOf(caller, { status: 'active' })));
    expect(new Set(counts)).toEqual(new Set([1]));
  });
  expect(operations).toHaveLength(2);
});

test('a count is never older than its call', async () => {
  const { caller, project } = await withProject();
  const { countDocuments } = mongoose.mongo.Collection.prototype;
  const [counted, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // MongoDB has counted, but its answer is held back until the test releases it.
  jest.spyOn(mongoose.mongo.Collection.prototype, 'countDocuments').mockImplementationOnce(async function (this: unknown, ...query) {
    const count = await countDocuments.apply(this as mongoose.mongo.Collection, query);
    counted.resolve();
    await answer.promise;
    return count;
  });
  const early = countOf(caller, {});
  await counted.promise;
  await scoped(Projects, caller).insert({ ...project, _id: randomUUID() });
  const late = countOf(caller, {});
  answer.resolve();
  expect(await Promise.all([early, late])).toEqual([1, 2]);
});

test('counts with other filters or organizations are separate', async () => {
  const [one, other] = [await withProject(), await withProject()];
  await scoped(Projects, one.caller).insert({ ...one.project, _id: randomUUID(), status: 'archived' });
  const counts = [countOf(one.caller, {}), countOf(one.caller, { status: 'active' }), countOf(other.caller, {})];
  expect(await Promise.all(counts)).toEqual([2, 1, 1]);
});

test('a count reads only the index', async () => {
  const { caller } = await withProject();
  const [count] = await operationsOn('projects', () => countOf(caller, { status: 'active' }));
  expect(count).toMatchObject({ docsExamined: 0 });
});
