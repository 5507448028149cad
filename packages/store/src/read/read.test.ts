import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import mongoose from 'mongoose';
import { defineModel } from '../model/define-model.ts';
import { between } from '../model/scope.ts';
import { scoped } from '../scoped.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange, removeChange, saveChange } from '../write/change.ts';
import { coalescedTally } from './coalesced-tallies.ts';
import { KeptTotals, maxExactTotal } from './kept-totals.ts';
import { coalescedPage } from './pages.ts';
import { fillMissingParts, folded, searchFilter, textParts } from './search.ts';

useTestStore();

describe('coalesced tallies', () => {
  const Visits = defineModel<{ shop: string; kind: string; guest: string; at: string }>(
    'visits',
    { shop: String, kind: String, guest: String, at: String },
    { indexes: [[{ org_id: 1, shop: 1, kind: 1, at: -1 }]] },
  );

  const tally = coalescedTally(Visits, { by: ['kind'], last: 'at', limit: 2 });

  async function withVisits(visits: readonly (readonly [kind: string, at: string])[]) {
    const caller = testCaller(randomUUID());
    for (const [kind, at] of visits) await scoped(Visits, caller).insert({ _id: randomUUID(), shop: 'one', kind, at, guest: 'Ada' });
    return caller;
  }

  test('a tally counts an organization’s records by field values, the most recent first', async () => {
    await withVisits([['a', '9']]);
    const caller = await withVisits([
      ['a', '1'],
      ['b', '2'],
      ['a', '4'],
      ['c', '3'],
    ]);
    expect(await tally(caller, { shop: 'one' })).toEqual([
      { values: { kind: 'a' }, count: 2, last: '4' },
      { values: { kind: 'c' }, count: 1, last: '3' },
    ]);
    expect(await tally(caller, { shop: 'two' })).toEqual([]);
  });

  test('a covering index serves a tally without reading records, and equal concurrent tallies take two queries', async () => {
    const caller = await withVisits([
      ['a', '1'],
      ['b', '2'],
    ]);
    const operations = await operationsOn('visits', () => Promise.all(Array.from({ length: 20 }, () => tally(caller, { shop: 'one' }))));
    expect(operations).toMatchObject([
      { docsExamined: 0, keysExamined: 2 },
      { docsExamined: 0, keysExamined: 2 },
    ]);
  });
});

describe('kept totals', () => {
  const Projects = defineModel<{ name: string; status: string }>(
    'projects',
    { name: String, status: String },
    { raisesEvents: true, indexes: [[{ org_id: 1, status: 1 }], [{ org_id: 1, name: 1 }]] },
  );

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
});

describe('pages', () => {
  const Plans = defineModel<{ name: string; rank: number; at: string }>(
    'plans',
    { name: String, rank: Number, at: String },
    { indexes: [[{ org_id: 1, rank: 1, at: -1, _id: 1 }]] },
  );

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
});

describe('search', () => {
  const Shops = defineModel<{ name: string; created_at: string }>(
    'shops',
    { name: String, created_at: String },
    { searched: 'name', raisesEvents: true, indexes: [[{ org_id: 1, created_at: -1, _id: 1 }]] },
  );

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
});
