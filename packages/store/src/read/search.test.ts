import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import mongoose from 'mongoose';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange, removeChange, saveChange } from '../write/change.ts';
import { fillMissingParts, folded, searchFilter, textParts } from './search.ts';

const Shops = defineModel<{ name: string; created_at: string }>(
  'shops',
  { name: String, created_at: String },
  { searched: 'name', raisesEvents: true, indexes: [[{ org_id: 1, created_at: -1, _id: 1 }]] },
);

useTestStore();

const add = (org_id: string, name: string) =>
  insertChange(Shops, { org_id }, new Change({ _id: randomUUID(), name, created_at: new Date().toISOString() }, []));

async function search(org_id: string, text: string) {
  const caller = testCaller(org_id);
  const found = await scoped(Shops, caller).find(await searchFilter(Shops, caller, text), { sort: { created_at: -1, _id: 1 } });
  return found.map(({ name }) => name).sort();
}

/** Inserts as a version did that stored no parts. */
async function addEarlier(org_id: string, names: readonly string[]) {
  const rows = names.map((name) => ({ _id: randomUUID(), org_id, name, created_at: '2020', revision: 1, outbox: [] }));
  await mongoose.connection.collection<{ _id: string }>('shops').insertMany(rows);
}

const names = ['Anna’s Bakery', 'BAKERY Straße 7', 'Café Ünal', 'ΟΔΟΣ', 'a.b*c', '🍰 cakes', 'x', 'Crème brûlée', '김밥'].map(
  (name, index) => name.normalize(index % 2 === 0 ? 'NFC' : 'NFD'),
);

test.each([
  ['bakery', ['Anna’s Bakery', 'BAKERY Straße 7']],
  ['KERY S', ['BAKERY Straße 7']],
  ['straße', ['BAKERY Straße 7']],
  ['strasse', []],
  ['ÜNAL', ['Café Ünal']],
  ['crème', ['Crème brûlée']],
  ['CRÈME BRÛLÉE'.normalize('NFD'), ['Crème brûlée']],
  ['û', ['Crème brûlée']],
  ['ÛL', ['Crème brûlée']],
  ['ünal'.normalize('NFD'), ['Café Ünal']],
  ['é'.normalize('NFD'), ['Café Ünal', 'Crème brûlée']],
  ['김밥', ['김밥']],
  ['οδο', ['ΟΔΟΣ']],
  ['ος', ['ΟΔΟΣ']],
  ['a.b*', ['a.b*c']],
  ['a.', ['a.b*c']],
  ['a?b', []],
  ['🍰', ['🍰 cakes']],
  ['🍰 c', ['🍰 cakes']],
  ['x', ['x']],
  ['ke', ['Anna’s Bakery', 'BAKERY Straße 7', '🍰 cakes']],
  ['bakery anna', []],
])('a search finds what contains its text in any case and Unicode form: %s', async (text, found) => {
  const org_id = randomUUID();
  for (const name of names) await add(org_id, name);
  const composed = async () => (await search(org_id, text)).map((name) => name.normalize('NFC')).sort();
  expect(await composed()).toEqual([...found].sort());
  await addEarlier(org_id, names);
  expect(await composed()).toEqual([...found, ...found].sort());
});

test('a changed text is found by its new parts alone, a removed record by none', async () => {
  const org_id = randomUUID();
  const shop = await add(org_id, 'Bakery');
  const renamed = await saveChange(Shops, testCaller(org_id), shop, new Change({ name: 'Florist' }, []));
  expect([await search(org_id, 'bakery'), await search(org_id, 'florist')]).toEqual([[], ['Florist']]);
  await removeChange(Shops, testCaller(org_id), renamed, [{ type: 'internal.template.deleted', data: { template_id: '' } }]);
  expect(await search(org_id, 'florist')).toEqual([]);
});

test('a text whose parts an earlier version made as it was written is found in either form', async () => {
  const org_id = randomUUID();
  const name = 'Café'.normalize('NFD');
  const points = Array.from(name.toLowerCase());
  const name_parts = points.map((_, index) => points.slice(index, index + 3).join(''));
  const row = { _id: randomUUID(), org_id, name, name_parts, created_at: '2020', revision: 1, outbox: [] };
  await mongoose.connection.collection<{ _id: string }>('shops').insertOne(row);
  for (const text of ['café', 'fé', 'é']) {
    for (const form of ['NFC', 'NFD']) expect(await search(org_id, text.normalize(form))).toEqual([name]);
  }
});

test('another organization’s records are not found', async () => {
  await add(randomUUID(), 'Bakery');
  expect(await search(randomUUID(), 'bakery')).toEqual([]);
});

test('records of an earlier version get their parts in the background; then a search reads only what has the part', async () => {
  const org_id = randomUUID();
  await addEarlier(org_id, [...Array.from({ length: 1_200 }, (_, index) => `Shop ${index}`), 'Bakery']);
  const stored = () => mongoose.connection.collection('shops').countDocuments({ org_id, name_parts: null });
  expect(await stored()).toBe(1_201);
  await fillMissingParts(Shops);
  expect(await stored()).toBe(0);
  const operations = await operationsOn('shops', async () => expect(await search(org_id, 'bakery')).toEqual(['Bakery']));
  for (const { docsExamined } of operations) expect(docsExamined).toBeLessThanOrEqual(1);
});

test('of parts that many records have, the one whose newest records match is read: a page needs few records', async () => {
  const org_id = randomUUID();
  const at = (index: number) => new Date(1_600_000_000_000 + index * 1000).toISOString();
  const rows = Array.from({ length: 9_000 }, (_, index) => {
    const name = `Site ${index < 3_000 ? `5 no ${index}` : `6 no ${index}`}`;
    return { _id: randomUUID(), org_id, name, name_parts: textParts(name), created_at: at(index), revision: 1, outbox: [] };
  });
  await mongoose.connection.collection<{ _id: string }>('shops').insertMany(rows);
  const caller = testCaller(org_id);
  const filter = await searchFilter(Shops, caller, 'Site 5');
  const page = { sort: { created_at: -1, _id: 1 }, limit: 50 } as const;
  const operations = await operationsOn('shops', async () => {
    expect((await scoped(Shops, caller).find(filter, page)).map(({ name }) => name)[0]).toBe('Site 5 no 2999');
  });
  for (const { docsExamined } of operations) expect(docsExamined).toBeLessThanOrEqual(60);
});

test('a text has at most as many parts as characters', () => {
  expect(textParts('aaaa')).toEqual(['aaa', 'aa', 'a']);
  expect(textParts('Ab 🍰')).toEqual(['ab ', 'b 🍰', ' 🍰', '🍰']);
  expect(folded('ΣΑΣ').join('')).toBe(folded('σας').join(''));
});
