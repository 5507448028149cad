import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { database } from '../connection.ts';
import { defineGlobalModel, defineModel } from '../model/define-model.ts';
import { scoped, unscoped } from '../scoped.ts';
import { until, useTestStore } from '../testing/index.ts';
import { batchedInsert } from '../write/batched-writes.ts';
import { insertChange, removeChange, saveChange } from '../write/change.ts';
import { writeGuarded } from '../write/guarded-writes.ts';
import { inTransaction } from '../write/transaction.ts';
import { writeBatch } from '../write/write-batch.ts';
import { eraseOrganization } from './erase-organization.ts';

const Pages = defineModel<{ name: string }>('pages', { name: String }, { raisesEvents: true });
const Counts = defineModel<{ total: number }>('counts', { total: Number });
const Log = defineModel<{ name: string }>('log', { name: String }, { keptWhenErased: true });
const Visits = defineGlobalModel<{ org_id: string }>('visits', { org_id: String });

useTestStore();

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
