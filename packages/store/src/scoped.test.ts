import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import mongoose from 'mongoose';
import { defineGlobalModel, defineModel } from './model/define-model.ts';
import type { OrgModel } from './model/stored-record.ts';
import { coalescedPage } from './read/pages.ts';
import { batchedAll, batchedBy, batchedById, scoped, unscoped } from './scoped.ts';
import { answered, limitOperations } from './store-errors.ts';
import { operationsOn, testCaller, useTestStore } from './testing/index.ts';
import { insertChange, removeChange } from './write/change.ts';

useTestStore();

describe('scoped', () => {
  interface Plan {
    name: string;
    tags: string[];
    used: number;
  }

  const Plans = defineModel<Plan>('plans', { name: String, tags: [String], used: Number }, { indexes: [[{ org_id: 1, name: 1 }]] });
  const Accounts = defineGlobalModel<{ email: string }>('accounts', { email: String });

  async function withPlan() {
    const caller = testCaller(randomUUID());
    const plan = { _id: randomUUID(), name: 'Basic', tags: ['a', 'b'], used: 1 };
    await scoped(Plans, caller).insert(plan);
    return { caller, plans: scoped(Plans, caller), plan };
  }

  test('no read, count, change or removal reaches a record of another organization', async () => {
    const { plans, plan } = await withPlan();
    const foreign = scoped(Plans, testCaller(randomUUID()));
    const { _id } = plan;
    expect(await foreign.findOne({ _id })).toBeNull();
    expect(await foreign.find({ _id })).toEqual([]);
    expect(await foreign.count({ _id })).toBe(0);
    expect(await foreign.updateOne({ _id }, { $set: { name: 'Stolen' } })).toMatchObject({ matchedCount: 0 });
    expect(await foreign.updateMany({}, { $set: { name: 'Stolen' } })).toMatchObject({ matchedCount: 0 });
    await foreign.updateEach([[{ _id }, { $set: { name: 'Stolen' } }]]);
    expect(await foreign.deleteOne({ _id })).toMatchObject({ deletedCount: 0 });
    expect(await foreign.deleteMany({})).toMatchObject({ deletedCount: 0 });
    expect(await plans.find({})).toEqual([expect.objectContaining(plan)]);
  });

  test('an organization named in the filter or the record does not replace the caller’s own', async () => {
    const { caller, plan } = await withPlan();
    const other = testCaller(randomUUID());
    const { org_id } = caller.principal;
    expect(await scoped(Plans, other).find({ org_id })).toEqual([]);
    const smuggled = { _id: randomUUID(), name: 'Smuggled', tags: [], used: 0, org_id };
    await scoped(Plans, other).insert(smuggled);
    expect(await scoped(Plans, caller).find({}, { fields: ['name'] })).toEqual([expect.objectContaining({ _id: plan._id })]);
  });

  test('a caller without an organization reaches no organization’s records', () => {
    expect(() => scoped(Plans, testCaller(''))).toThrow('needs an organization');
    expect(() => scoped(Plans, { org_id: '' })).toThrow('needs an organization');
  });

  test('a field that the model does not define is refused on every write', async () => {
    const { plans, plan } = await withPlan();
    const unknown = { is_admin: true } as object;
    await expect(plans.insert({ ...plan, _id: randomUUID(), ...unknown })).rejects.toThrow('is_admin');
    await expect(plans.updateOne({}, { $set: unknown })).rejects.toThrow('is_admin');
    expect(await plans.count({})).toBe(1);
  });

  test('only the requested fields are read, and never the outbox', async () => {
    const { caller, plans, plan } = await withPlan();
    const kept = { _id: plan._id, org_id: caller.principal.org_id, revision: 1 };
    expect(await plans.findOne({}, { fields: ['name'] })).toEqual({ ...kept, name: plan.name });
    expect(await plans.findOne({})).toEqual({ ...kept, ...plan });
  });

  test('an upsert inserts a record of the organization, at revision 1', async () => {
    const { caller, plans } = await withPlan();
    await plans.updateOne({ _id: 'made' }, { $set: { name: 'Made' } }, { upsert: true });
    expect(await plans.findOne({ _id: 'made' })).toMatchObject({ org_id: caller.principal.org_id, revision: 1, name: 'Made' });
  });

  test('several changes are made in one write', async () => {
    const { plans, plan } = await withPlan();
    await plans.insert({ ...plan, _id: 'second' });
    await plans.updateEach([
      [{ _id: plan._id }, { $max: { used: 5 } }],
      [{ _id: 'second' }, { $max: { used: 0 } }],
    ]);
    expect(await plans.find({}, { fields: ['used'], sort: { used: -1 } })).toMatchObject([{ used: 5 }, { used: 1 }]);
  });

  test('a collection across organizations is read without a tenant', async () => {
    await unscoped(Accounts).insert({ _id: 'a', email: 'ada@example.com' });
    expect(await unscoped(Accounts).findOne({ email: 'ada@example.com' })).toEqual({ _id: 'a', email: 'ada@example.com', revision: 1 });
  });

  test('an index of an organization’s collection that does not start with org_id is refused', () => {
    expect(() => defineModel<{ name: string }>('wrong', { name: String }, { indexes: [[{ name: 1 }]] })).toThrow('org_id');
  });

  test('a store call without a tenant does not compile', () => {
    type Arguments = Parameters<typeof scoped<Plan>>;
    const needsBoth: [] extends Arguments ? never : [OrgModel<Plan>] extends Arguments ? never : true = true;
    const hasNoMethods: { [K in keyof OrgModel<Plan>]: OrgModel<Plan>[K] extends () => unknown ? K : never }[keyof OrgModel<Plan>] extends
      | undefined
      | never
      ? true
      : never = true;
    const isNotGlobal: OrgModel<Plan> extends Parameters<typeof unscoped<Plan>>[0] ? never : true = true;
    expect([needsBoth, hasNoMethods, isNotGlobal, Object.keys(Plans)]).toEqual([
      true,
      true,
      true,
      ['collection', 'tenancy', 'raisesEvents', 'searched', 'upgrades', 'ownedBy', 'ofProject', 'exportedAs', 'keptWhenErased'],
    ]);
  });

  const Sites = defineModel<{ user_id: string; name: string }>(
    'sites',
    { user_id: String, name: String },
    { indexes: [[{ org_id: 1, user_id: 1 }]], ownedBy: 'user_id' },
  );
  const siteById = batchedById(Sites, ['name']);
  const allSites = batchedAll(Sites, ['name']);
  const sitePage = coalescedPage(Sites, { fields: ['name'], sort: { _id: 1 } });

  test('a client’s user reaches only its own records of a collection with owners, by every method', async () => {
    const org_id = randomUUID();
    const [own, foreign] = ['anna', 'ben'].map((user_id) => ({ _id: randomUUID(), user_id, name: user_id }));
    if (own === undefined || foreign === undefined) throw new Error('there are two');
    const agency = testCaller(org_id);
    await scoped(Sites, agency).insert(own);
    await scoped(Sites, agency).insert(foreign);
    const anna = testCaller(org_id, { principal: { ...agency.principal, kind: 'session', role: 'client', user_id: 'anna' } });
    for (const scope of [anna, anna.principal]) {
      const sites = scoped(Sites, scope);
      expect((await sites.find({})).map(({ _id }) => _id)).toEqual([own._id]);
      expect(await sites.findOne({ _id: foreign._id })).toBeNull();
      expect(await sites.count({ user_id: 'ben' })).toBe(1);
      expect(await sites.updateOne({ _id: foreign._id }, { $set: { name: 'Stolen' } })).toMatchObject({ matchedCount: 0 });
      expect(await sites.deleteMany({ _id: foreign._id })).toMatchObject({ deletedCount: 0 });
      expect(await Promise.all([own, foreign].map(({ _id }) => siteById(scope, _id)))).toEqual([expect.objectContaining(own), null]);
      expect((await allSites(scope)).map(({ _id }) => _id)).toEqual([own._id]);
    }
    const page = { limit: 10, offset: 0 };
    const [pageOfAnna, pageOfAgency] = await Promise.all([sitePage(anna, {}, page), sitePage(agency, {}, page)]);
    expect([pageOfAnna.total, pageOfAgency.total]).toEqual([1, 2]);
  });

  const Projects = defineModel<{ name: string; status: string }>('projects', { name: String, status: String }, { raisesEvents: true });

  const projectById = batchedById(Projects);
  const nameById = batchedById(Projects, ['name']);

  async function withProject() {
    const caller = testCaller(randomUUID());
    const state = { _id: randomUUID(), name: 'Bakery', status: 'active' };
    return { caller, project: await insertChange(Projects, caller, new Change(state, [])) };
  }

  test('reads of one event-loop tick are one query, across callers', async () => {
    const made = await Promise.all(Array.from({ length: 30 }, withProject));
    const operations = await operationsOn('projects', async () => {
      const found = await Promise.all(made.map(({ caller, project }) => projectById(caller, project._id)));
      expect(found).toEqual(made.map(({ project }) => project));
    });
    expect(operations).toMatchObject([{ op: 'query', nreturned: 30 }]);
  });

  test('a foreign record is null even when its owner reads it in the same query', async () => {
    const { caller, project } = await withProject();
    const foreign = testCaller(randomUUID());
    expect(await Promise.all([projectById(foreign, project._id), projectById(caller, project._id)])).toEqual([null, project]);
  });

  test('reads by another unique text are one query, and each gets the record of its own organization', async () => {
    const planByName = batchedBy(Plans, 'name', ['used']);
    const [one, other] = await Promise.all([withPlan(), withPlan()]);
    await one.plans.insert({ _id: randomUUID(), name: 'Pro', tags: [], used: 2 });
    const operations = await operationsOn('plans', async () => {
      const asked = [one, other].flatMap(({ caller }) => ['Basic', 'Pro', ''].map((name) => planByName(caller, name)));
      const [basic, pro, none, ...ofOther] = await Promise.all(asked);
      expect([basic?._id, pro?.used, none]).toEqual([one.plan._id, 2, null]);
      expect(ofOther).toEqual([expect.objectContaining({ _id: other.plan._id }), null, null]);
    });
    expect(operations).toMatchObject([{ op: 'query', nreturned: 3 }]);
  });

  test.each(['nobody’s', '', '\0', '\ud800', '{"$ne":null}'])('an unknown id returns null: %p', async (id) => {
    const { caller } = await withProject();
    expect(await projectById(caller, id)).toBeNull();
  });

  test('only the requested fields are read', async () => {
    const { caller, project } = await withProject();
    const { _id, org_id } = project;
    expect(await nameById(caller, _id)).toEqual({ _id, org_id, revision: 1, name: 'Bakery' });
  });

  test('removed records are not read', async () => {
    const { caller, project } = await withProject();
    await removeChange(Projects, caller, project, [{ type: 'internal.template.deleted', data: { template_id: '' } }]);
    expect(await projectById(caller, project._id)).toBeNull();
  });
});

describe('store errors', () => {
  const { MongoBulkWriteError, MongoServerError, MongoNetworkError, MongoServerSelectionError } = mongoose.mongo;
  const plans = { collection: 'plans' };

  /** As the driver wraps what breaks a bulk write off. */
  const bulk = (reason: Error) => new MongoBulkWriteError(reason as never, {} as never);
  const thrown = (error: Error) => answered('find', plans, () => Promise.reject(error)).catch((caught: unknown) => caught);

  test.each([
    ['a lost connection', new MongoNetworkError('connection 3 closed')],
    ['a server that is shutting down', new MongoServerError({ message: 'shutting down', code: 91 })],
    ['a server that has just started and does not know its state yet', new MongoServerError({ message: 'no config', code: 94 })],
    ['a majority that is not known yet', new MongoServerError({ message: 'not available yet', code: 134 })],
    ['a write whose retry met the failover too', new MongoServerError({ message: 'again', code: 1, errorLabels: ['RetryableWriteError'] })],
    ['a socket that the server has ended', Object.assign(new Error('This socket has been ended by the other party'), { code: 'EPIPE' })],
    ['a cursor that its server lost in a restart', new MongoServerError({ message: 'cursor id 7 not found', code: 43 })],
    ['a bulk write that found no server', bulk(new MongoServerSelectionError('timed out', {} as never))],
    ['a bulk write whose server is shutting down', bulk(new MongoServerError({ message: 'shutting down', code: 91 }))],
    ['a write whose transaction took too long', new MongoServerError({ message: 'interrupted', code: 290 })],
    ['a commit with unknown outcome', new MongoServerError({ message: 'again', errorLabels: ['UnknownTransactionCommitResult'] })],
  ])('%s is `unavailable`, which callers see as 503, and its cause names MongoDB for the log', async (_what, error) => {
    const named = { message: expect.stringMatching(/^MongoDB: find plans: \w/), cause: error };
    expect(await thrown(error)).toMatchObject({ code: 'unavailable', cause: named });
  });

  test('a write conflict stays itself, so that its transaction starts again', async () => {
    const conflict = new MongoServerError({ message: 'conflict', code: 112, errorLabels: ['TransientTransactionError'] });
    expect(await thrown(conflict)).toBe(conflict);
  });

  test('a refused write stays itself', async () => {
    const duplicate = new MongoServerError({ message: 'E11000', code: 11_000 });
    expect(await thrown(duplicate)).toBe(duplicate);
  });

  test('an operation that the driver never ends is `unavailable` at the time limit', async () => {
    limitOperations(20);
    const endless = answered('find', plans, () => new Promise(() => undefined));
    await expect(endless).rejects.toMatchObject({ code: 'unavailable', cause: { message: 'MongoDB: find plans: no answer in time' } });
  });
});
