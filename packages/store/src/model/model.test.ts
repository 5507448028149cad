import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import * as z from 'zod';
import { database } from '../connection.ts';
import { prepareStore } from '../migration/open-store.ts';
import { coalescedTally } from '../read/coalesced-tallies.ts';
import { coalescedPage } from '../read/pages.ts';
import { scoped } from '../scoped.ts';
import { testCaller, useTestStore } from '../testing/index.ts';
import { checkedRecord } from './checked-record.ts';
import { defineGlobalModel, defineModel } from './define-model.ts';
import { createIndexes } from './indexes.ts';
import { rawModel } from './models.ts';
import { definitionOf, fieldsOf } from './record-schema.ts';
import { containing, type Scope, where } from './scope.ts';

useTestStore();

describe('checked record', () => {
  interface Every {
    text: string;
    nullable: string | null;
    optional?: string | undefined;
    count: number;
    isOpen: boolean;
    at: Date;
    tags: string[];
    needed: number[];
    anything: unknown;
    madeAt: Date;
  }

  const Every = defineModel<Every>('every', {
    text: { type: String, required: true },
    nullable: { type: String, default: null },
    optional: { type: String },
    count: { type: Number, required: true },
    isOpen: { type: Boolean, default: false },
    at: { type: Date, required: true },
    tags: [String],
    needed: { type: [Number], required: true },
    anything: { type: mongoose.Schema.Types.Mixed, default: null },
    madeAt: { type: Date, default: () => new Date(0) },
  });

  const least = { _id: 'a', org_id: 'org', revision: 1, text: 'text', count: 1, at: new Date(5), needed: [1] };

  test.each([
    ['defaults', least],
    ['fields without a value', { ...least, nullable: undefined, optional: undefined, tags: undefined }],
    ['every field', { ...least, optional: 'o', isOpen: true, tags: ['a', 'b'], anything: { of: ['any', 1] }, outbox: [{ id: 'e' }] }],
    ['empty texts and lists', { ...least, nullable: '', tags: [], needed: [] }],
    ['null', { ...least, nullable: null, anything: null, at: new Date(6) }],
    ['values to cast', { ...least, count: '7', at: '2026-01-01T00:00:00Z', tags: [1], isOpen: 'true', madeAt: 9 }],
  ])('a record with %s is stored as mongoose would store it', async (_name, record) => {
    const bymongoose = new (rawModel(Every))(record).toObject();
    expect(await checkedRecord(Every, record)).toEqual(bymongoose);
  });

  test.each([
    ['an unknown field', { ...least, other: 1 }],
    ['no required text', { ...least, text: undefined }],
    ['an empty required text', { ...least, text: '' }],
    ['a required null', { ...least, count: null }],
    ['a text for a number', { ...least, count: 'many' }],
    ['no number', { ...least, count: Number.NaN }],
    ['an invalid date', { ...least, at: new Date('never') }],
    ['an object for a text', { ...least, nullable: { $gt: '' } }],
    ['an object in a list of texts', { ...least, tags: ['a', { $gt: '' }] }],
  ])('a record with %s is refused', async (_name, record) => {
    await expect(checkedRecord(Every, record)).rejects.toThrow();
  });
});

describe('filter', () => {
  const Plans = defineModel<{ name: string; tags: string[]; used: number }>('plans', { name: String, tags: [String], used: Number });

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
});

describe('indexes', () => {
  const expiry = [{ expires_at: 1 }, { expireAfterSeconds: 0 }] as const;
  const definition = { expires_at: Date };
  defineGlobalModel<{ expires_at: Date }>('raising', definition, { raisesEvents: true, indexes: [expiry] });
  defineGlobalModel<{ expires_at: Date }>('silent', definition, { indexes: [expiry] });

  const expiringIndexes = async (collection: string) => {
    const indexes = await database().collection(collection).indexes();
    return indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds !== undefined).map(({ name }) => name);
  };

  test('the expiry of an earlier release, which deletes records whose events wait, is replaced at start', async () => {
    await database().collection('raising').createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
    expect(await expiringIndexes('raising')).toEqual(['expires_at_1_settled', 'expires_at_1']);
    for (let starts = 0; starts < 2; starts++) {
      await createIndexes();
      expect(await expiringIndexes('raising')).toEqual(['expires_at_1_settled']);
    }
  });

  test('records that raise no events expire as they did', async () => {
    expect(await expiringIndexes('silent')).toEqual(['expires_at_1']);
  });

  test('a collection whose module is loaded after the store was prepared is refused: it would have no indexes', async () => {
    await prepareStore('identity', { MIGRATE_AT_START: true });
    expect(() => defineGlobalModel('late', definition)).toThrow('the module of late is loaded after the store was prepared');
  });
});

describe('record schema', () => {
  const Pet = z.object({
    id: z.uuid(),
    org_id: z.uuid(),
    name: z.string(),
    email: z.string().pipe(z.email()),
    born_at: z.iso.datetime().nullable(),
    kind: z.enum(['cat', 'dog']),
    age: z.int(),
    tags: z.array(z.string()),
    is_tame: z.boolean(),
    seen_at: z.date(),
    home: z.object({ city: z.string() }),
    is_chipped: z.boolean().optional(),
  });

  test('a document has the fields of the public record, except id and organization', () => {
    expect(fieldsOf(Pet)).toEqual(['name', 'email', 'born_at', 'kind', 'age', 'tags', 'is_tame', 'seen_at', 'home', 'is_chipped']);
  });

  test('a nullable field defaults to null, an optional one is absent; everything else is required', () => {
    expect(definitionOf(Pet)).toEqual({
      name: { type: String, required: true },
      email: { type: String, required: true },
      born_at: { type: String, default: null },
      kind: { type: String, required: true },
      age: { type: Number, required: true },
      tags: { type: [String], required: true },
      is_tame: { type: Boolean, required: true },
      seen_at: { type: Date, required: true },
      home: { type: mongoose.Schema.Types.Mixed, required: true },
      is_chipped: { type: Boolean },
    });
  });

  test('a schema without a matching document type is refused', () => {
    expect(() => definitionOf(z.object({ owners: z.array(z.object({ name: z.string() })) }))).toThrow('owners');
  });
});

describe('scope', () => {
  const Kilns = defineModel<{ name: string; rank: number }>(
    'kilns',
    { name: String, rank: Number },
    { indexes: [[{ org_id: 1, rank: 1, _id: 1 }]] },
  );

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
});
