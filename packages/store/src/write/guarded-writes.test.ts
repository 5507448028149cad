import { randomUUID } from 'node:crypto';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { useTestStore } from '../testing/index.ts';
import { writeGuarded } from './guarded-writes.ts';

interface Sum {
  applied: number;
  counts: Record<string, number>;
}

const Sums = defineModel<Sum>('guarded_sums', { applied: Number, counts: Object });
useTestStore();

const [ours, theirs] = [{ org_id: randomUUID() }, { org_id: randomUUID() }];
const sumOf = (_id: string, scope = ours) => scoped(Sums, scope).findOne({ _id });
const added = (_id: string, scope = ours) => ({ scope, record: { _id, applied: 1, counts: { a: 1 } } });
const moved = (_id: string, from: number, scope = ours) => ({
  scope,
  filter: { _id, applied: from },
  update: { $set: { applied: from + 1, 'counts.b': from } },
});

test('records of several organizations are inserted and updated in one write', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  expect(await writeGuarded(Sums, [added(first), added(second, theirs)])).toBe(true);
  expect(await writeGuarded(Sums, [moved(first, 1), moved(second, 1, theirs)])).toBe(true);
  expect(await sumOf(first)).toMatchObject({ applied: 2, counts: { a: 1, b: 1 }, org_id: ours.org_id, revision: 1 });
  expect(await sumOf(second, theirs)).toMatchObject({ applied: 2, org_id: theirs.org_id });
});

test('a record that changed since it was read stays, the others are updated, and the result is false', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await writeGuarded(Sums, [added(first), added(second)]);
  expect(await writeGuarded(Sums, [moved(first, 7), moved(second, 1)])).toBe(false);
  expect([(await sumOf(first))?.applied, (await sumOf(second))?.applied]).toEqual([1, 2]);
});

test('an existing record is not replaced, the others are inserted, and the result is false', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  await writeGuarded(Sums, [added(first), moved(first, 1)]);
  await writeGuarded(Sums, [moved(first, 1)]);
  const before = await sumOf(first);
  expect(await writeGuarded(Sums, [added(first), added(second)])).toBe(false);
  expect(await sumOf(first)).toEqual(before);
  expect(await sumOf(second)).not.toBeNull();
});

test('no guarded write reaches another organization’s record', async () => {
  const _id = randomUUID();
  await writeGuarded(Sums, [added(_id, theirs)]);
  expect(await writeGuarded(Sums, [moved(_id, 1, ours)])).toBe(false);
  expect((await sumOf(_id, theirs))?.applied).toBe(1);
});

test('an empty batch writes nothing', async () => {
  expect(await writeGuarded(Sums, [])).toBe(true);
});
