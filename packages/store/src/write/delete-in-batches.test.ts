import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { operationsOn, useTestStore } from '../testing/index.ts';
import { deleteBatchSize } from './delete-in-batches.ts';

const Views = defineModel<{ page: string }>('views', { page: String }, { indexes: [[{ org_id: 1, page: 1 }]] });

useTestStore();

async function withViews(count: number) {
  const org_id = randomUUID();
  const rows = Array.from({ length: count }, () => ({ _id: randomUUID(), org_id, page: '/', revision: 1, outbox: [] }));
  await mongoose.connection.collection<{ _id: string }>('views').insertMany(rows);
  return scoped(Views, { org_id });
}

test('many records are deleted in batches of bounded size, and no others', async () => {
  const [views, others] = [await withViews(deleteBatchSize * 2 + 10), await withViews(5)];
  const operations = await operationsOn('views', async () => {
    expect(await views.deleteMany({ page: '/' })).toEqual({ deletedCount: deleteBatchSize * 2 + 10 });
  });
  const deleted = operations.filter(({ op }) => op === 'remove').map(({ ndeleted }) => ndeleted);
  expect(deleted).toEqual([deleteBatchSize, deleteBatchSize, 10]);
  expect([await views.count({}), await others.count({})]).toEqual([0, 5]);
});

test('a deletion that broke off is continued by the next call', async () => {
  const views = await withViews(deleteBatchSize * 2);
  jest.spyOn(mongoose.mongo.Collection.prototype, 'deleteMany').mockImplementationOnce(async function (
    this: mongoose.mongo.Collection,
    ...args
  ) {
    await mongoose.mongo.Collection.prototype.deleteMany.apply(this, args);
    throw new Error('the process died');
  });
  await expect(views.deleteMany({ page: '/' })).rejects.toThrow('the process died');
  expect(await views.count({})).toBe(deleteBatchSize);
  expect(await views.deleteMany({ page: '/' })).toEqual({ deletedCount: deleteBatchSize });
});
