import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { database } from '../connection.ts';
import { defineGlobalModel, defineModel } from '../model/define-model.ts';
import { deleteOfProject, scoped, unscoped } from '../scoped.ts';
import { until, useTestStore } from '../testing/index.ts';
import { batchedInsert, writeBatch } from './batched-writes.ts';
import { insertChange, removeChange, saveChange } from './change.ts';
import { deleteBatchSize } from './delete-in-batches.ts';
import { eraseOrganization } from './erased-organizations.ts';
import { writeGuarded } from './guarded-writes.ts';
import { inTransaction } from './transaction.ts';

const Pages = defineModel<{ name: string }>('pages', { name: String }, { raisesEvents: true });
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

const Counts = defineModel<{ total: number }>('counts', { total: Number });
const Log = defineModel<{ name: string }>('log', { name: String }, { keptWhenErased: true });
const Visits = defineGlobalModel<{ org_id: string }>('visits', { org_id: String });

const _id = () => randomUUID();
const page = () => ({ _id: _id(), name: 'a' });
const insertPage = batchedInsert(Pages);
const refused = { code: 'organization_suspended' };

const inserts: readonly (readonly [write: string, run: (org_id: string) => Promise<unknown>])[] = [
  ['a change', (org_id) => insertChange(Pages, { org_id }, new Change(page(), []))],
  [
    'a change in a transaction',
    (org_id) => inTransaction(Pages, (session) => insertChange(Pages, { org_id, session }, new Change(page(), []))),
  ],
  ['an insert', (org_id) => scoped(Pages, { org_id }).insert(page())],
  ['a batched insert', (org_id) => insertPage({ org_id }, page())],
  ['an insert across organizations', (org_id) => unscoped(Visits).insert({ _id: _id(), org_id })],
  ['a change across organizations', (org_id) => insertChange(Visits, { org_id: '' }, new Change({ _id: _id(), org_id }, []))],
];

const batches: readonly (readonly [write: string, run: (org_ids: string[]) => Promise<unknown>])[] = [
  [
    'a batch',
    (org_ids) =>
      inTransaction(Pages, (session) =>
        writeBatch(
          Pages,
          session,
          org_ids.map((org_id) => ({ org_id, record: page() })),
        ),
      ),
  ],
  [
    'increments',
    (org_ids) =>
      inTransaction(Counts, (session) =>
        writeBatch(
          Counts,
          session,
          org_ids.map((org_id) => ({ org_id, _id: org_id, first: {}, add: { total: 1 } })),
        ),
      ),
  ],
  [
    'guarded writes',
    (org_ids) =>
      writeGuarded(
        Pages,
        org_ids.map((org_id) => ({ scope: { org_id }, record: page() })),
      ),
  ],
  [
    'upserts',
    (org_ids) =>
      Promise.all(org_ids.map((org_id) => scoped(Counts, { org_id }).updateOne({ _id: org_id }, { $inc: { total: 1 } }, { upsert: true }))),
  ],
];

async function recordsOf(org_id: string): Promise<number> {
  const texts = await Promise.all(
    ['pages', 'counts', 'log', 'visits'].map(async (name) => JSON.stringify(await database().collection(name).find().toArray())),
  );
  return texts.join().split(org_id).length - 1;
}

test.each(inserts)('%s of an organization is refused once its erasure has begun, and only then', async (_, run) => {
  const [ours, theirs] = [randomUUID(), randomUUID()];
  await run(ours);
  expect(await eraseOrganization(ours)).toBe(1);
  await expect(run(ours)).rejects.toMatchObject(refused);
  await run(theirs);
  expect(await recordsOf(ours)).toBe(0);
  expect(await recordsOf(theirs)).toBeGreaterThan(0);
});

test.each(batches)('%s that name an organization whose erasure has begun write nothing of it, and all of the others', async (_, run) => {
  const [ours, theirs] = [randomUUID(), randomUUID()];
  await run([ours]);
  expect(await eraseOrganization(ours)).toBe(1);
  await run([theirs, ours]);
  expect(await recordsOf(ours)).toBe(0);
  expect(await recordsOf(theirs)).toBeGreaterThan(0);
});

test('a record across organizations does not move to one whose erasure has begun', async () => {
  const [ours, theirs] = [randomUUID(), randomUUID()];
  const visit = await insertChange(Visits, { org_id: '' }, new Change({ _id: _id(), org_id: theirs }, []));
  await eraseOrganization(ours);
  await expect(saveChange(Visits, { org_id: '' }, visit, new Change({ org_id: ours }, []))).rejects.toMatchObject(refused);
});

test('a process knows of an erasure that another one began, although it knew the organization before', async () => {
  const org_id = randomUUID();
  await scoped(Pages, { org_id }).insert(page());
  await database().collection<{ _id: string }>('erased_organizations').insertOne({ _id: org_id });
  const insert = () =>
    scoped(Pages, { org_id })
      .insert(page())
      .then(
        () => 'added',
        ({ code }) => code,
      );
  await until(async () => (await insert()) === refused.code);
});

test('an erasure deletes what was deleted before and waits to be published', async () => {
  const org_id = randomUUID();
  const deleted = await insertChange(Pages, { org_id }, new Change(page(), []));
  const event = { type: 'internal.template.deleted', data: { template_id: deleted._id } } as never;
  await removeChange(Pages, { org_id }, deleted, [event]);
  expect(await recordsOf(org_id)).toBe(1);
  expect(await eraseOrganization(org_id)).toBe(1);
  expect(await recordsOf(org_id)).toBe(0);
});

test('what an erasure keeps is written on', async () => {
  const org_id = randomUUID();
  await scoped(Log, { org_id }).insert(page());
  expect(await eraseOrganization(org_id)).toBe(0);
  await scoped(Log, { org_id }).insert(page());
  expect(await recordsOf(org_id)).toBe(2);
});
