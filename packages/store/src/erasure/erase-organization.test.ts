import { randomUUID } from 'node:crypto';
import { database } from '../connection.ts';
import { defineGlobalModel, defineModel } from '../model/define-model.ts';
import { scoped, unscoped } from '../scoped.ts';
import { useTestStore } from '../testing/index.ts';
import { deleteBatchSize } from '../write/delete-in-batches.ts';
import { deleteOfProject } from './delete-of-project.ts';
import { eraseOrganization } from './erase-organization.ts';

const Pages = defineModel<{ name: string }>('pages', { name: String });
const Entries = defineModel<{ name: string }>('entries', { name: String }, { indexes: [[{ org_id: 1, name: 1 }]] });
const Keys = defineGlobalModel<{ org_id: string }>('keys', { org_id: String });
const Days = defineGlobalModel<{ day: string }>('days', { day: String });
const Notes = defineModel<{ project_id: string }>('notes', { project_id: String }, { ofProject: 'project_id' });
const Settings = defineModel<{ name: string }>('settings', { name: String }, { ofProject: '_id' });
const Ledger = defineModel<{ project_id: string }>('ledger', { project_id: String }, { ofProject: null });

useTestStore();

async function fill(org_id: string): Promise<void> {
  const ids = Array.from({ length: deleteBatchSize + 1 }, () => ({ _id: randomUUID(), name: 'a' }));
  await Promise.all(ids.map((page) => scoped(Pages, { org_id }).insert(page)));
  await scoped(Entries, { org_id }).insert({ _id: randomUUID(), name: 'a' });
  await unscoped(Keys).insert({ _id: randomUUID(), org_id });
}

const counts = async (org_id: string) => [
  await scoped(Pages, { org_id }).count({}),
  await scoped(Entries, { org_id }).count({}),
  await unscoped(Keys).count({ org_id }),
];

test('an erasure deletes the records of one organization in every collection that has them, except those that are kept', async () => {
  const [ours, theirs] = [randomUUID(), randomUUID()];
  await Promise.all([fill(ours), fill(theirs), unscoped(Days).insert({ _id: randomUUID(), day: 'today' })]);
  const before = await counts(ours);
  expect(await eraseOrganization(ours, [Entries])).toBe(deleteBatchSize + 2);
  expect(await counts(ours)).toEqual([0, 1, 0]);
  expect(await eraseOrganization(ours)).toBe(1);
  expect(await eraseOrganization(ours)).toBe(0);
  expect([await counts(theirs), await unscoped(Days).count({})]).toEqual([before, 1]);
});

test('the records of a deleted project go from every collection that belongs to it, and no others', async () => {
  const org_id = randomUUID();
  const [deleted, other] = [randomUUID(), randomUUID()];
  for (const project_id of [deleted, other]) {
    await scoped(Notes, { org_id }).insert({ _id: randomUUID(), project_id });
    await scoped(Settings, { org_id }).insert({ _id: project_id, name: 'a' });
    await scoped(Ledger, { org_id }).insert({ _id: randomUUID(), project_id });
  }
  await deleteOfProject({ org_id: randomUUID() }, other);
  await deleteOfProject({ org_id }, deleted);
  expect((await scoped(Notes, { org_id }).find({})).map(({ project_id }) => project_id)).toEqual([other]);
  expect((await scoped(Settings, { org_id }).find({})).map(({ _id }) => _id)).toEqual([other]);
  expect(await scoped(Ledger, { org_id }).count({})).toBe(2);
});

test.each(['pages', 'entries', 'keys', 'notes'])('an index finds the records of an organization in %s', async (collection) => {
  const plan = await database()
    .collection(collection)
    .find({ org_id: { $eq: 'any' } })
    .explain('queryPlanner');
  expect(JSON.stringify(plan.queryPlanner.winningPlan)).toContain('IXSCAN');
});
