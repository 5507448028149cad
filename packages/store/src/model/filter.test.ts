import { randomUUID } from 'node:crypto';
import { scoped } from '../scoped.ts';
import { testCaller, useTestStore } from '../testing/index.ts';
import { defineModel } from './define-model.ts';
import { containing, where } from './scope.ts';

const Plans = defineModel<{ name: string; tags: string[]; used: number }>('plans', { name: String, tags: [String], used: Number });

useTestStore();

async function withPlan() {
  const plans = scoped(Plans, testCaller(randomUUID()));
  const plan = { _id: randomUUID(), name: 'Basic', tags: ['a', 'b'], used: 1 };
  await plans.insert(plan);
  return { plans, plan };
}

test.each([{ $ne: '' }, { $gt: '' }, { $regex: '.' }, { $exists: true }, { $where: 'true' }, ['Basic'], /./, null])(
  'a value is never an operator: %p matches no name',
  async (value) => {
    const { plans } = await withPlan();
    expect(await plans.find({ name: value as unknown as string })).toEqual([]);
    expect(await plans.count({ name: value as unknown as string })).toBe(0);
  },
);

test('a filter without a value is refused instead of matching everything', async () => {
  const { plans } = await withPlan();
  await expect(plans.deleteMany({ name: undefined })).rejects.toThrow('filter without a value');
  expect(await plans.count({})).toBe(1);
});

test('operators written in our source work', async () => {
  const { plans, plan } = await withPlan();
  expect(await plans.count({ used: where({ $lt: 2 }), tags: 'b', _id: where({ $in: [plan._id] }) })).toBe(1);
  expect(await plans.count({ used: where({ $lt: 1 }) })).toBe(0);
});

test('a search text is not a pattern', async () => {
  const { plans } = await withPlan();
  expect(await plans.count({ name: containing('ASI') })).toBe(1);
  for (const part of ['.', '^', '(', 'B.sic', '[a-z]', '\\w']) expect(await plans.count({ name: containing(part) })).toBe(0);
});
