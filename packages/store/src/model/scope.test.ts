import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { defineModel, type Scope, scoped } from '../index.ts';
import { coalescedTally } from '../read/coalesced-tallies.ts';
import { coalescedPage } from '../read/pages.ts';
import { testCaller, useTestStore } from '../testing/index.ts';
import { containing, where } from './scope.ts';

const Kilns = defineModel<{ name: string; rank: number }>(
  'kilns',
  { name: String, rank: Number },
  { indexes: [[{ org_id: 1, rank: 1, _id: 1 }]] },
);

useTestStore();

const org_id = randomUUID();
const page = coalescedPage(Kilns, { fields: ['name'], sort: { rank: 1, _id: 1 } });
const tally = coalescedTally(Kilns, { by: ['name'], last: 'rank', limit: 10 });

/** To read all of them takes longer than the millisecond that a caller without time is given. */
beforeAll(async () => {
  const kilns = Array.from({ length: 30_000 }, (_, rank) => ({
    _id: randomUUID(),
    org_id,
    revision: 1,
    name: `kiln ${rank}`,
    rank,
    outbox: [],
  }));
  await mongoose.connection.collection<{ _id: string }>('kilns').insertMany(kilns);
});

const noKiln = { name: containing('no such kiln') };
const reads: readonly [string, (scope: Scope) => Promise<unknown>][] = [
  ['find', (scope) => scoped(Kilns, scope).find(noKiln)],
  ['findOne', (scope) => scoped(Kilns, scope).findOne(noKiln)],
  ['count', (scope) => scoped(Kilns, scope).count(noKiln)],
  ['a page', (scope) => page(scope, noKiln, { limit: 10, offset: 0 })],
  ['a page far into a list', (scope) => page(scope, {}, { limit: 10, offset: 29_000 })],
  ['a tally', (scope) => tally(scope, { rank: where({ $gte: 0 }) })],
];

test.each(reads)('%s ends in MongoDB at the deadline of its caller', async (_name, read) => {
  await expect(read(testCaller(org_id, { deadlineAt: Date.now() }))).rejects.toMatchObject({ code: 'overloaded' });
});

test.each(reads)('%s of a caller with time is answered', async (_name, read) => {
  await expect(read(testCaller(org_id))).resolves.toBeDefined();
});
