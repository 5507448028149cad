import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { defineModel } from '../model/define-model.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange, removeChange } from '../write/change.ts';
import { batchedById } from './batched-reads.ts';

const Projects = defineModel<{ name: string; status: string }>('projects', { name: String, status: String }, { raisesEvents: true });

useTestStore();

const projectById = batchedById(Projects);
const nameById = batchedById(Projects, ['name']);

async function withProject() {
  const caller = testCaller(randomUUID());
  const state = { _id: randomUUID(), name: 'Bakery', status: 'active' };
  return { caller, project: await insertChange(Projects, caller, new Change(state, [])) };
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

test('removed records are not read', async () => {
  const { caller, project } = await withProject();
  await removeChange(Projects, caller, project, [{ type: 'internal.template.deleted', data: { template_id: '' } }]);
  expect(await projectById(caller, project._id)).toBeNull();
});
