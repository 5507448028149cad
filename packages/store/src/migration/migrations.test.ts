import { randomUUID } from 'node:crypto';
import { database } from '../connection.ts';
import { defineModel } from '../model/define-model.ts';
import { rawModel } from '../model/models.ts';
import { batchedById, scoped } from '../scoped.ts';
import { useTestStore } from '../testing/index.ts';
import { beginPass, endPass, missingMigrations, runMigrations, savePosition } from './migrations.ts';

interface Shop {
  name: string;
  city?: string;
  slug?: string;
  label?: string;
}

const Shops = defineModel<Shop>(
  'shops',
  { name: { type: String, required: true }, city: String, slug: String, label: String },
  {
    indexes: [[{ org_id: 1, slug: 1 }]],
    upgrades: [
      { reads: ['name', 'slug'], upgrade: ({ name = '', slug }) => ({ slug: slug ?? name.toLowerCase() }) },
      { reads: ['slug', 'city'], upgrade: ({ slug, city }) => ({ label: `${slug} in ${city}` }) },
    ],
  },
);
const unfinished = 'migration "shops of version 3" is not done';
const org_id = randomUUID();
const shops = () => scoped(Shops, { org_id });
const stored = () => database().collection<{ _id: string }>('shops');
const quiet = () => undefined;
const old = (more: object = {}) => ({ _id: randomUUID(), org_id, revision: 1, outbox: [], name: 'Bakery', city: 'Ulm', ...more });
const atPresent = { slug: 'bakery', label: 'bakery in Ulm', schema_version: 3 };
const olderThan3 = () => stored().countDocuments({ schema_version: { $ne: 3 } });

useTestStore();
afterEach(async () => {
  await stored().deleteMany({});
  await database().collection('migrations').deleteMany({});
});

test('documents of every earlier version are read as the present one, by every way to read and with any fields', async () => {
  const [first, second] = [old(), old({ slug: 'chosen', schema_version: 2 })];
  await stored().insertMany([first, second] as never);
  expect(await shops().findOne({ _id: first._id })).toMatchObject(atPresent);
  expect(await shops().find({ _id: second._id }, { fields: ['label'] })).toMatchObject([{ label: 'chosen in Ulm' }]);
  expect(await batchedById(Shops, ['label'])({ org_id }, first._id)).toMatchObject({ label: 'bakery in Ulm' });
  expect(await olderThan3()).toBe(2);
});

test('a new document is of the present version, and a document of a newer release is read as it is', async () => {
  const newer = old({ slug: 'theirs', label: 'theirs', schema_version: 4 });
  await shops().insert({ _id: 'new', name: 'Florist' });
  await stored().insertOne(newer as never);
  expect(await stored().findOne({ _id: 'new' })).toMatchObject({ schema_version: 3 });
  await runMigrations([], quiet);
  expect(await shops().findOne({ _id: newer._id })).toMatchObject({ label: 'theirs', schema_version: 4 });
});

test('several runs at once store every document as the present version, also documents that the release before wrote since the last run', async () => {
  await stored().insertMany(Array.from({ length: 1_300 }, () => old()) as never);
  await Promise.all([1, 2, 3].map(() => runMigrations([], quiet)));
  expect(await olderThan3()).toBe(0);
  await stored().insertOne(old() as never);
  await runMigrations([], quiet);
  expect(await stored().countDocuments(atPresent)).toBe(1_301);
});

test('a run that is killed is continued at its last batch, and a slower run moves no later pass', async () => {
  const name = 'shops of version 3';
  const ids = ['a', 'b', 'c'];
  await stored().insertMany(ids.map((_id) => old({ _id })) as never);
  const killed = await beginPass(name);
  await savePosition(name, killed.number, 'b');
  await savePosition(name, killed.number, 'a');
  await runMigrations([], quiet);
  expect(await stored().distinct('_id', { schema_version: 3 })).toEqual(['c']);
  await savePosition(name, killed.number, 'c');
  await endPass(name, killed.number);
  await runMigrations([], quiet);
  expect(await stored().distinct('_id', { schema_version: 3 })).toEqual(ids);
});

test('a document that changes while it is upgraded keeps the change, and the next run upgrades it', async () => {
  const shop = old();
  await stored().insertOne(shop as never);
  const { collection } = rawModel(Shops);
  const write = collection.bulkWrite.bind(collection);
  const between = jest.spyOn(collection, 'bulkWrite').mockImplementationOnce(async (...batch) => {
    await stored().updateOne({ _id: shop._id }, { $set: { slug: 'renamed' } } as never);
    return write(...batch);
  });
  await runMigrations([], quiet);
  between.mockRestore();
  expect(await stored().findOne({ _id: shop._id })).toEqual({ ...shop, slug: 'renamed' });
  await runMigrations([], quiet);
  expect(await stored().findOne({ _id: shop._id })).toMatchObject({ slug: 'renamed', label: 'renamed in Ulm', schema_version: 3 });
});

test('a database is migrated once its indexes are complete and every migration was done', async () => {
  const own = { name: 'own work', run: async () => undefined };
  await stored().dropIndex('org_id_1_slug_1');
  expect(await missingMigrations([own])).toEqual(
    expect.arrayContaining(['index shops.org_id_1_slug_1 is missing', unfinished, 'migration "own work" is not done']),
  );
  await runMigrations([], quiet);
  expect(await missingMigrations([own])).toEqual(['migration "own work" is not done']);
  await runMigrations([own], quiet);
  expect(await missingMigrations([own])).toEqual([]);
  await stored().dropIndex('org_id_1_slug_1');
  expect(await missingMigrations([own])).toEqual(['index shops.org_id_1_slug_1 is missing']);
});
