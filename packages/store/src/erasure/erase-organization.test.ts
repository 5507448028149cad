import { randomUUID } from 'node:crypto';
import { database } from '../connection.ts';
import { defineGlobalModel, defineModel } from '../model/define-model.ts';
import { scoped, unscoped } from '../scoped.ts';
import { useTestStore } from '../testing/index.ts';
import { deleteBatchSize } from '../write/delete-in-batches.ts';
import { eraseOrganization } from './erase-organization.ts';

const Pages = defineModel<{ name: string }>('pages', { name: String });
const Entries = defineModel<{ name: string }>('entries', { name: String }, { indexes: [[{ org_id: 1, name: 1 }]] });
const Keys = defineGlobalModel<{ org_id: string }>('keys', { org_id: String });
const Days = defineGlobalModel<{ day: string }>('days', { day: String });

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

test.each(['pages', 'entries', 'keys'])('an index finds the records of an organization in %s', async (collection) => {
  const plan = await database()
    .collection(collection)
    .find({ org_id: { $eq: 'any' } })
    .explain('queryPlanner');
  expect(JSON.stringify(plan.queryPlanner.winningPlan)).toContain('IXSCAN');
});
