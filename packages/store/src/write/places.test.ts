import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { defineModel, insertChange, removeChange, scoped } from '../index.ts';
import { operationsOn, useTestStore } from '../testing/index.ts';
import { assignPlaces, countPlaces, insertAtPlace, type PlaceIndex, placeIndex } from './places.ts';

interface Kiln {
  _id: string;
  org_id: string;
  place?: number | null;
}

const KilnModel = defineModel<Kiln>(
  'kilns',
  { place: { type: Number, default: null } },
  { raisesEvents: true, indexes: [placeIndex('place')] },
);

useTestStore();

const full = (used: number) => new Error(`${used} used`);
const indexOf = (org_id: string): PlaceIndex<Kiln, 'organization'> => ({ model: KilnModel, scope: { org_id }, within: {}, field: 'place' });
const add = (org_id: string, limit: number | undefined, _id: string = randomUUID(), isSurelyNew = false) =>
  insertAtPlace({ ...indexOf(org_id), limit, full, isSurelyNew }, (place) =>
    insertChange(KilnModel, { org_id }, new Change({ _id, place }, [])),
  );
const remove = async (org_id: string, _id: string) => {
  const current = await scoped(KilnModel, { org_id }).findOne({ _id });
  if (current === null) throw new Error('no such kiln');
  await removeChange(KilnModel, { org_id }, current, [{ type: 'internal.template.deleted', data: { template_id: _id } }]);
};
/** Adds `count` at once; returns how many were added. The others were refused. */
async function addAtOnce(org_id: string, count: number, limit: number): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: count }, () => add(org_id, limit)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason.message).toMatch(/ used$/);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}
const fill = async (org_id: string, from: number, to: number) => {
  const kilns = Array.from({ length: to - from }, (_, at) => ({ _id: randomUUID(), place: from + at }));
  await Promise.all(kilns.map((state) => insertChange(KilnModel, { org_id }, new Change(state, []))));
};

test.each([1, 10, 40])('of 50 at once exactly %d are added where that is the limit', async (limit) => {
  const org = randomUUID();
  expect(await addAtOnce(org, 50, limit)).toBe(limit);
  expect(await countPlaces(indexOf(org))).toBe(limit);
});

test('of 50 at once exactly those are added for which a limit of 2,000 has room', async () => {
  const org = randomUUID();
  await fill(org, 0, 1_993);
  expect(await addAtOnce(org, 50, 2_000)).toBe(7);
  await expect(add(org, 2_000)).rejects.toThrow('2000 used');
});

test('a deleted record frees its place at once, and frees one', async () => {
  const org = randomUUID();
  const { _id } = await add(org, 2);
  await add(org, 2);
  await remove(org, _id);
  expect(await addAtOnce(org, 10, 2)).toBe(1);
});

test('a repeated insert of one record takes one place', async () => {
  const [org, _id] = [randomUUID(), randomUUID()];
  await Promise.all(Array.from({ length: 5 }, () => add(org, 3, _id)));
  expect(await countPlaces(indexOf(org))).toBe(1);
});

test.each([20, 400])('a limit that was lowered to %d lets nothing in until enough is deleted, and then exactly as much', async (limit) => {
  const org = randomUUID();
  await fill(org, 500, 500 + limit + 1);
  await expect(add(org, limit)).rejects.toThrow(`${limit + 1} used`);
  const kilns = await scoped(KilnModel, { org_id: org }).find({}, { fields: [], limit: 4 });
  for (const { _id } of kilns) await remove(org, _id);
  expect(await addAtOnce(org, 20, limit)).toBe(3);
});

test('what was added without a limit counts against one that is set later', async () => {
  const org = randomUUID();
  for (let count = 0; count < 4; count++) await add(org, undefined);
  await expect(add(org, 4)).rejects.toThrow('4 used');
  expect(await addAtOnce(org, 10, 6)).toBe(2);
});

test('where few are allowed, a record that is surely new is refused by one read, and many at once by two', async () => {
  const org = randomUUID();
  await fill(org, 0, 3);
  const refused = () => expect(add(org, 3, randomUUID(), true)).rejects.toThrow('3 used');
  expect((await operationsOn(KilnModel.collection, refused)).map(({ op }) => op)).toEqual(['query']);
  const asked = await operationsOn(KilnModel.collection, () => Promise.all(Array.from({ length: 20 }, refused)));
  expect(asked.map(({ op }) => op)).toEqual(['query', 'query']);
});

test('a record that is surely new takes no place that a lowered limit has used up, and each free one once', async () => {
  const org = randomUUID();
  await fill(org, 10, 14);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => add(org, 6, randomUUID(), true)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await countPlaces(indexOf(org))).toBe(6);
});

test('a repeat finds the record of its earlier attempt, which took the last place', async () => {
  const [org, _id] = [randomUUID(), randomUUID()];
  await add(org, 1, _id);
  expect(await add(org, 1, _id)).toMatchObject({ _id });
});

test('another organization has places of its own', async () => {
  await expect(add(randomUUID(), 0)).rejects.toThrow('0 used');
  await add(randomUUID(), 1);
  await add(randomUUID(), 1);
});

test('records without a place get one, also beyond the limit, and deleted ones none', async () => {
  const org = randomUUID();
  const kilns = Array.from({ length: 5 }, () => ({ _id: randomUUID() }));
  for (const state of kilns) await insertChange(KilnModel, { org_id: org }, new Change(state, []));
  await add(org, 3);
  await remove(org, kilns[0]?._id ?? '');
  await assignPlaces(KilnModel, { field: 'place', by: ['org_id'] });
  await assignPlaces(KilnModel, { field: 'place', by: ['org_id'] });
  expect(await countPlaces(indexOf(org))).toBe(5);
  await expect(add(org, 3)).rejects.toThrow('5 used');
});
