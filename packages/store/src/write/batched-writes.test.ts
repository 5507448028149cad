import { randomUUID } from 'node:crypto';
import { defineModel } from '../model/define-model.ts';
import { batchedAll } from '../read/batched-reads.ts';
import { scoped } from '../scoped.ts';
import { operationsOn, useTestStore } from '../testing/index.ts';
import { batchedInsert, batchedUpdate } from './batched-writes.ts';

useTestStore();

const Parcels = defineModel<{ text: string; tries: number }>('parcels', { text: String, tries: Number });
const add = batchedInsert(Parcels);
const change = batchedUpdate(Parcels);
const all = batchedAll(Parcels, ['text']);
const parcel = (_id: string = randomUUID()) => ({ _id, text: 'a', tries: 0 });
const stored = ({ org_id }: { org_id: string }) => scoped(Parcels, { org_id }).find({});

test('inserts of one event-loop tick are one write, each in its own organization', async () => {
  const [one, other] = [{ org_id: randomUUID() }, { org_id: randomUUID() }];
  const operations = await operationsOn('parcels', async () => {
    expect(await Promise.all([add(one, parcel()), add(other, parcel()), add(one, parcel())])).toEqual([true, true, true]);
  });
  expect(operations.map(({ op, ninserted }) => [op, ninserted])).toEqual([['insert', 3]]);
  expect([(await stored(one)).length, (await stored(other)).length]).toEqual([2, 1]);
});

test('an insert with a taken _id returns false, changes nothing, and does not block the others', async () => {
  const org = { org_id: randomUUID() };
  const taken = parcel();
  await add(org, taken);
  expect(await Promise.all([add(org, parcel()), add(org, { ...taken, text: 'b' }), add(org, parcel())])).toEqual([true, false, true]);
  expect((await stored(org)).map(({ text }) => text)).toEqual(['a', 'a', 'a']);
});

test('an insert that MongoDB refuses fails alone', async () => {
  const org = { org_id: randomUUID() };
  const huge = { ...parcel(), text: 'x'.repeat(17 * 1024 ** 2) };
  await expect(add(org, huge)).rejects.toThrow();
  expect(await add(org, parcel())).toBe(true);
});

test('updates of one event-loop tick are one write, and reach only records of their own organization', async () => {
  const [one, other] = [{ org_id: randomUUID() }, { org_id: randomUUID() }];
  const [mine, second, theirs] = [parcel(), parcel(), parcel()];
  await Promise.all([add(one, mine), add(one, second), add(other, theirs)]);
  const operations = await operationsOn('parcels', () =>
    Promise.all([mine, second, theirs].map(({ _id }) => change(one, { _id }, { $set: { text: 'b' }, $inc: { tries: 1 } }))),
  );
  expect(new Set(operations.map(({ op }) => op))).toEqual(new Set(['update']));
  expect((await stored(one)).map(({ text, tries }) => [text, tries])).toEqual([
    ['b', 1],
    ['b', 1],
  ]);
  expect((await stored(other)).map(({ text }) => text)).toEqual(['a']);
});

test("concurrent reads of all of an organization's records share one query, across organizations", async () => {
  const [one, other] = [{ org_id: randomUUID() }, { org_id: randomUUID() }];
  await Promise.all([add(one, parcel()), add(one, parcel()), add(other, parcel())]);
  const operations = await operationsOn('parcels', async () => {
    const found = await Promise.all([all(one), all(other), all(one), all({ org_id: randomUUID() })]);
    expect(found.map((records) => records.length)).toEqual([2, 1, 2, 0]);
    expect(found[0]?.every(({ org_id }) => org_id === one.org_id)).toBe(true);
  });
  expect(operations).toHaveLength(1);
});
