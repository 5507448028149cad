import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { Change, type RaisedEvent } from '@webkiln/messages';
import mongoose from 'mongoose';
import { database } from '../connection.ts';
import { runInTransactionOnce } from '../idempotency/handled-events.ts';
import { newId } from '../idempotency/idempotency.ts';
import { defineModel } from '../model/define-model.ts';
import { batchedAll, scoped } from '../scoped.ts';
import { isDuplicate } from '../store-errors.ts';
import { operationsOn, requestsOn, testCaller, useTestStore } from '../testing/index.ts';
import { batchedInsert, batchedUpdate, writeBatch } from './batched-writes.ts';
import { insertChange, insertChanges, removeChange, saveChange, saveChanges } from './change.ts';
import { deleteBatchSize } from './delete-in-batches.ts';
import { assertMatches, etagOf, LostRace, saveWithRetry } from './etag.ts';
import { writeGuarded } from './guarded-writes.ts';
import { onOutboxWritten, settleOutbox, waitingRecords } from './outbox.ts';
import { inTransaction } from './transaction.ts';

useTestStore();

describe('batched writes', () => {
  const Clients = defineModel<{ email: string }>(
    'batched_clients',
    { email: { type: String, required: true } },
    { indexes: [[{ org_id: 1, email: 1 }, { unique: true }]] },
  );

  const caller = testCaller(randomUUID());
  const addClient = (email: string, _id = randomUUID()) => insertChange(Clients, caller, new Change({ _id, email }, []));

  test('inserts of one event-loop tick are one write', async () => {
    const operations = await operationsOn('batched_clients', () => Promise.all(Array.from({ length: 20 }, (_, n) => addClient(`${n}`))));
    expect(operations).toMatchObject([{ op: 'insert', ninserted: 20 }]);
  });

  test('a refused insert fails alone among concurrent ones, with its reason', async () => {
    await addClient('taken');
    const results = await Promise.allSettled(['one', 'taken', 'two'].map((email) => addClient(email)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const [refusal] = results.filter((result) => result.status === 'rejected');
    expect(isDuplicate(refusal?.reason, 'email')).toBe(true);
    expect(await scoped(Clients, caller).count({ email: 'two' })).toBe(1);
  });

  test('exactly one of twenty concurrent inserts of an email succeeds', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => addClient('same')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('twenty concurrent inserts of an id store one record, and all return it', async () => {
    const _id = randomUUID();
    const records = await Promise.all(Array.from({ length: 20 }, (_, n) => addClient(`id ${n}`, _id)));
    expect(new Set(records.map(({ email }) => email)).size).toBe(1);
  });

  test('a record that violates its model is refused before any write', async () => {
    const operations = await operationsOn('batched_clients', async () => {
      await expect(addClient(undefined as unknown as string)).rejects.toThrow('`email` is required');
    });
    expect(operations).toEqual([]);
  });

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

  const Counts = defineModel<{ name: string; total: number }>('batched_counts', { name: String, total: Number });

  const totals = async (...orgs: string[]) =>
    Promise.all(
      orgs.map(async (org_id) => (await scoped(Counts, { org_id }).find({})).map(({ name, total, revision }) => [name, total, revision])),
    );

  test('one transaction inserts records and creates and increments numbers of several organizations', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const first = { name: 'counted' };
    for (const key of [randomUUID(), randomUUID()]) {
      await runInTransactionOnce(key, (session) =>
        writeBatch(Counts, session, [
          { org_id: one, _id: `${one} counted`, first, add: { total: 2 } },
          { org_id: other, _id: `${other} counted`, first, add: { total: 3 } },
          { org_id: other, record: { _id: randomUUID(), name: 'added', total: 0 } },
        ]),
      );
    }
    expect(await totals(one, other)).toEqual([
      [['counted', 4, 1]],
      expect.arrayContaining([
        ['counted', 6, 1],
        ['added', 0, 1],
      ]),
    ]);
  });

  test('a failed batch writes nothing', async () => {
    const org_id = randomUUID();
    const record = { _id: randomUUID(), name: 'twice', total: 0 };
    const failing = runInTransactionOnce(randomUUID(), (session) =>
      writeBatch(Counts, session, [
        { org_id, _id: `${org_id} counted`, first: { name: 'counted' }, add: { total: 1 } },
        { org_id, record },
        { org_id, record },
      ]),
    );
    await expect(failing).rejects.toThrow('duplicate key');
    expect(await totals(org_id)).toEqual([[]]);
  });

  test('a record of another organization with the same id is not incremented', async () => {
    const [one, other, _id] = [randomUUID(), randomUUID(), randomUUID()];
    const adding = (org_id: string) =>
      runInTransactionOnce(randomUUID(), (session) =>
        writeBatch(Counts, session, [{ org_id, _id, first: { name: 'own' }, add: { total: 1 } }]),
      );
    await adding(one);
    await expect(adding(other)).rejects.toThrow('duplicate key');
    expect(await totals(one, other)).toEqual([[['own', 1, 1]], []]);
  });

  test('a batch requires an organization', async () => {
    const nobodys = runInTransactionOnce(randomUUID(), (session) =>
      writeBatch(Counts, session, [{ org_id: '', _id: 'a', first: {}, add: { total: 1 } }]),
    );
    await expect(nobodys).rejects.toThrow(TypeError);
  });

  test('concurrent batches on the same numbers are all counted', async () => {
    const org_id = randomUUID();
    const add = () =>
      runInTransactionOnce(randomUUID(), (session) =>
        writeBatch(Counts, session, [{ org_id, _id: org_id, first: { name: 'busy' }, add: { total: 1 } }]),
      );
    await add();
    await Promise.all([add(), add()]);
    expect(await totals(org_id)).toEqual([[['busy', 3, 1]]]);
  });
});

describe('delete in batches', () => {
  const Views = defineModel<{ page: string }>('views', { page: String }, { indexes: [[{ org_id: 1, page: 1 }]] });

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
});

describe('guarded writes', () => {
  interface Sum {
    applied: number;
    counts: Record<string, number>;
  }

  const Sums = defineModel<Sum>('guarded_sums', { applied: Number, counts: Object });

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
});

describe('etag', () => {
  const record = { revision: 5 };
  const lost = () => Promise.reject(new AppError('edited_meanwhile'));

  test('an entity tag is strong, quoted and unique to the revision', () => {
    expect(etagOf(record)).toBe('"r5"');
  });

  test.each([undefined, '*', ' * ', '"r5"', '"r4", "r5"', '"r4","r5"', 'W/"r4", "r5"', '"a,b", "r5"'])(
    'If-Match %p lets the change through (RFC 9110 §13.1.1)',
    (ifMatch) => {
      expect(() => assertMatches({ ifMatch }, record)).not.toThrow();
    },
  );

  test.each(['"r4"', 'W/"r5"', '"r55"', '"r4", W/"r5"'])('If-Match %p names other states of the record', (ifMatch) => {
    expect(() => assertMatches({ ifMatch }, record)).toThrow(expect.objectContaining({ code: 'edited_meanwhile', status: 412 }));
  });

  test.each(['r5', '', '"r5', '"a,"r5""', 'x "r5"', '"r4" "r5"'])(
    'If-Match %p names no ETag with its quotes, and is told so',
    (ifMatch) => {
      expect(() => assertMatches({ ifMatch }, record)).toThrow(expect.objectContaining({ code: 'if_match_unquoted', status: 412 }));
    },
  );

  test('a lost race is retried for a caller without If-Match', async () => {
    const attempt = jest.fn(lost).mockImplementationOnce(lost);
    attempt.mockImplementationOnce(lost).mockResolvedValueOnce('saved' as never);
    expect(await saveWithRetry({}, attempt)).toBe('saved');
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  test('a caller without If-Match never gets edited_meanwhile, but overloaded after twenty lost races', async () => {
    const attempt = jest.fn(lost);
    await expect(saveWithRetry({}, attempt)).rejects.toMatchObject({ code: 'overloaded' });
    expect(attempt).toHaveBeenCalledTimes(20);
  });

  test('a caller with If-Match gets edited_meanwhile after the first lost race', async () => {
    const attempt = jest.fn(lost);
    await expect(saveWithRetry({ ifMatch: '"r5"' }, attempt)).rejects.toMatchObject({ code: 'edited_meanwhile' });
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('other errors are not retried', async () => {
    const attempt = jest.fn(() => Promise.reject(new AppError('project_not_found')));
    await expect(saveWithRetry({}, attempt)).rejects.toMatchObject({ code: 'project_not_found' });
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('callers that name a record take turns at it, so that none of them loses a race; other records wait for nobody', async () => {
    let stored = 0;
    let lostRaces = 0;
    const save = async () => {
      const read = stored;
      await new Promise(setImmediate);
      if (stored !== read) {
        lostRaces++;
        throw new LostRace('one');
      }
      stored++;
    };
    const other = Promise.withResolvers<void>();
    const waiting = saveWithRetry({}, () => other.promise, 'other');
    await Promise.all(Array.from({ length: 50 }, () => saveWithRetry({}, save, 'one')));
    expect([stored, lostRaces]).toEqual([50, 0]);
    other.resolve();
    await waiting;
  });

  test('a caller whose deadline passes before its turn gets overloaded, and changes nothing', async () => {
    const before = Promise.withResolvers<void>();
    const first = saveWithRetry({}, () => before.promise, 'record');
    const attempt = jest.fn(lost);
    const late = saveWithRetry({ deadlineAt: Date.now() }, attempt, 'record');
    before.resolve();
    await first;
    await expect(late).rejects.toMatchObject({ code: 'overloaded' });
    expect(attempt).not.toHaveBeenCalled();
  });
});

describe('change', () => {
  const Undeclared = defineModel<{ name: string }>('undeclared', { name: String });
  const Templates = defineModel<{ name: string }>(
    'templates',
    { name: String },
    { raisesEvents: true, indexes: [[{ org_id: 1, name: 1 }, { unique: true }]] },
  );

  const deleted = (template_id: string): RaisedEvent => ({ type: 'internal.template.deleted', data: { template_id } });
  const repeatable = () => ({ id: randomUUID(), body: 'body', explicit: true });

  async function withTemplate() {
    const caller = testCaller(randomUUID());
    const _id = randomUUID();
    const template = await insertChange(Templates, caller, new Change({ _id, name: 'First' }, [deleted('made')]));
    return { caller, templates: scoped(Templates, caller), template };
  }

  const writes = ['insert', 'update', 'remove'];
  const eventsOf = async (id: string) => {
    const entries = (await waitingRecords(Templates, 10, [id])).flatMap(({ outbox }) => outbox);
    return entries.map((entry) => ({ ...entry, data: JSON.parse(entry.data) }));
  };

  test('a record and its events are one document write, for every kind of change', async () => {
    const { caller, template } = await withTemplate();
    const operations = await operationsOn('templates', async () => {
      const made = await insertChange(Templates, caller, new Change({ _id: 'one', name: 'One' }, [deleted('1'), deleted('2')]));
      await saveChange(Templates, caller, made, new Change({ name: 'Two' }, [deleted('3')]));
      await removeChange(Templates, caller, template, [deleted('4')]);
    });
    expect(operations.map(({ op }) => op).filter((op) => writes.includes(String(op)))).toEqual(['insert', 'update', 'update']);
    expect(await eventsOf('one')).toMatchObject(
      [1, 2, 3].map((n) => ({ type: 'internal.template.deleted', data: { template_id: `${n}` } })),
    );
    expect(await eventsOf(template._id)).toMatchObject([{ data: { template_id: 'made' } }, { data: { template_id: '4' } }]);
  });

  test('changes of a transaction that are written together hold all or, if one of them is stale, not at all', async () => {
    const { caller, template } = await withTemplate();
    const other = await insertChange(Templates, caller, new Change({ _id: randomUUID(), name: 'Other' }, []));
    const rename = (to: string, current: typeof template) => [current, new Change({ name: to }, [deleted(to)])] as const;
    const write = (first: typeof template) =>
      inTransaction(Templates, async (session) => {
        const scope = { org_id: template.org_id, session };
        await insertChanges(Templates, scope, [new Change({ _id: randomUUID(), name: 'New' }, [deleted('new')])]);
        await saveChanges(Templates, scope, [rename('A', first), rename('B', other)]);
      });
    await expect(write({ ...template, revision: 7 })).rejects.toMatchObject({ code: 'edited_meanwhile' });
    const names = async () => (await scoped(Templates, caller).find({})).map(({ name }) => name).toSorted();
    expect([await names(), await eventsOf(other._id)]).toEqual([['First', 'Other'], []]);
    await write(template);
    expect(await names()).toEqual(['A', 'B', 'New']);
    expect(await eventsOf(other._id)).toMatchObject([{ data: { template_id: 'B' } }]);
  });

  test('what a rule raises is stored, whatever its callers add to the change', async () => {
    const { caller, template } = await withTemplate();
    const ruled = new Change({ name: 'Second' }, [deleted('ruled')]);
    const whole = ruled
      .withAudit(deleted('act'))
      .withState({})
      .withEvents([deleted('more')]);
    await saveChange(Templates, caller, template, whole);
    const ids = (await eventsOf(template._id)).map(({ data }) => data.template_id);
    expect(ids).toEqual(['made', 'ruled', 'act', 'more']);
  });

  test('exactly one of twenty changes to a revision succeeds, with its event; the others fail as edited_meanwhile', async () => {
    const { caller, templates, template } = await withTemplate();
    const change = new Change({ name: 'Second' }, [deleted('saved')]);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => saveChange(Templates, caller, template, change)));
    const lost = results.filter((result) => result.status === 'rejected' && result.reason.code === 'edited_meanwhile');
    expect(lost).toHaveLength(19);
    expect(await templates.findOne({ _id: template._id })).toMatchObject({ name: 'Second', revision: 2 });
    expect(await eventsOf(template._id)).toHaveLength(2);
  });

  test('a hundred callers who change one record at once all succeed, each with at most one try in vain', async () => {
    const { caller, templates, template } = await withTemplate();
    let tries = 0;
    const rename = (name: string) =>
      saveWithRetry(caller, async () => {
        tries++;
        const current = await templates.findOne({ _id: template._id });
        if (current !== null) await saveChange(Templates, caller, current, new Change({ name }, []));
      });
    await Promise.all(Array.from({ length: 100 }, (_, index) => rename(`Name ${index}`)));
    expect(await templates.findOne({ _id: template._id })).toMatchObject({ revision: 101 });
    expect(tries).toBeLessThan(200);
  });

  test('a change returns the changed record', async () => {
    const { caller, templates, template } = await withTemplate();
    const saved = await saveChange(Templates, caller, template, new Change({ name: 'Second' }, []));
    expect(saved).toEqual(await templates.findOne({ _id: template._id }));
  });

  test('neither a change nor a removal reaches another organization’s record', async () => {
    const { template } = await withTemplate();
    const foreign = testCaller(randomUUID());
    await expect(saveChange(Templates, foreign, template, new Change({ name: 'Stolen' }, []))).rejects.toThrow('changed meanwhile');
    await expect(removeChange(Templates, foreign, template, [deleted('x')])).rejects.toThrow('changed meanwhile');
  });

  test('a repeated insert returns the record of the first attempt and raises no second event', async () => {
    const caller = testCaller(randomUUID(), { idempotency: repeatable() });
    const change = new Change({ _id: newId(caller), name: 'Once' }, [deleted('made')]);
    const first = await insertChange(Templates, caller, change);
    const [event] = await eventsOf(first._id);
    expect(await insertChange(Templates, caller, change.withState({ name: 'Twice' }))).toEqual(first);
    expect(await eventsOf(first._id)).toEqual([event]);
  });

  test('a duplicate value is reported with its field', async () => {
    const { caller } = await withTemplate();
    const error = await insertChange(Templates, caller, new Change({ _id: randomUUID(), name: 'First' }, [])).catch((e: unknown) => e);
    expect([isDuplicate(error), isDuplicate(error, 'name'), isDuplicate(error, 'email')]).toEqual([true, true, false]);
  });

  test('a removed record disappears from every read immediately and keeps only its events', async () => {
    const { caller, templates, template } = await withTemplate();
    await removeChange(Templates, caller, template, [deleted(template._id)]);
    expect(await templates.findOne({ _id: template._id })).toBeNull();
    expect(await templates.count({})).toBe(0);
    await expect(saveChange(Templates, caller, { ...template, revision: 2 }, new Change({}, []))).rejects.toThrow('changed meanwhile');
    const tombstone = await database().collection<{ _id: string }>('templates').findOne({ _id: template._id });
    expect(Object.keys(tombstone ?? {}).sort()).toEqual(['_id', 'deleted_at', 'deleted_org_id', 'org_id', 'outbox', 'revision']);
    expect(await waitingRecords(Templates, 10, [template._id])).toMatchObject([{ org_id: caller.principal.org_id, tombstone: true }]);
  });

  test('removed records free their unique values and do not collide with each other', async () => {
    const { caller, templates, template } = await withTemplate();
    await removeChange(Templates, caller, template, [deleted(template._id)]);
    const again = await insertChange(Templates, caller, new Change({ _id: randomUUID(), name: 'First' }, []));
    await removeChange(Templates, caller, again, [deleted(again._id)]);
    expect(await templates.find({})).toEqual([]);
  });

  test('event text that looks like an expression stays text when its record is removed', async () => {
    const { caller, template } = await withTemplate();
    await removeChange(Templates, caller, template, [deleted('$name')]);
    expect((await eventsOf(template._id)).at(-1)).toMatchObject({ data: { template_id: '$name' } });
  });

  test('events written in a transaction are announced after its commit', async () => {
    const { caller, template } = await withTemplate();
    const notified: string[] = [];
    const unsubscribe = onOutboxWritten((_, id) => notified.push(id));
    await mongoose.connection.getClient().withSession((session) =>
      session.withTransaction(async () => {
        const scope = { org_id: caller.principal.org_id, session };
        await saveChange(Templates, scope, template, new Change({ name: 'Second' }, [deleted('saved')]));
        expect(notified).toEqual([]);
      }),
    );
    unsubscribe();
    expect(notified).toEqual([template._id]);
  });

  test.each(['__proto__', 'constructor', 'toObject', 'toJSON', 'toBSON', '_bsontype', '$ref', '$set', 'a.b'])(
    'the data of an event may have a field named %s',
    async (name) => {
      const { caller, template } = await withTemplate();
      const data = { template_id: 'named', ...Object.fromEntries([[name, 'value']]), $id: 'value' };
      const event: RaisedEvent = { type: 'internal.template.deleted', data };
      const made = await insertChange(Templates, caller, new Change({ _id: randomUUID(), name: 'Named' }, [event]));
      await saveChange(Templates, caller, made, new Change({}, [event]));
      await removeChange(Templates, caller, template, [event]);
      const [atFirst, changed] = await eventsOf(made._id);
      const [, removed] = await eventsOf(template._id);
      for (const event of [atFirst, changed, removed]) expect(Object.entries(event?.data ?? {})).toEqual(Object.entries(data));
    },
  );

  test('a model that does not declare its events refuses them, and the change is not stored', async () => {
    const { caller, template } = await withTemplate();
    const silent = Undeclared as never;
    const change = new Change({ _id: randomUUID(), name: 'First' }, [deleted('x')]);
    await expect(insertChange(silent, caller, change as never)).rejects.toThrow('raisesEvents');
    await expect(saveChange(silent, caller, template, change as never)).rejects.toThrow('raisesEvents');
    await expect(removeChange(silent, caller, template, [deleted('x')])).rejects.toThrow('raisesEvents');
    expect(await scoped(Undeclared, caller).count({})).toBe(0);
  });
});

describe('outbox', () => {
  const Clients = defineModel<{ name: string }>('clients', { name: String }, { raisesEvents: true });

  const event = (template_id: string) => ({ type: 'internal.template.deleted' as const, data: { template_id } });
  const waiting = (name: string) => ({ ...event(name), data: JSON.stringify(event(name).data) });
  const caller = testCaller(randomUUID());

  const make = (name: string, events = [event(name)]) => insertChange(Clients, caller, new Change({ _id: randomUUID(), name }, events));

  async function settleAll() {
    const records = await waitingRecords(Clients, 1000);
    await settleOutbox(
      Clients,
      records.map((record) => ({ record, ids: record.outbox.map(({ id }) => id) })),
    );
  }

  beforeEach(settleAll);

  test('the relay’s query uses its own index and examines only records with a waiting event', async () => {
    for (let n = 0; n < 20; n++) await make(`quiet ${n}`, []);
    for (let n = 0; n < 3; n++) await make(`waiting ${n}`);
    const [query] = await operationsOn('clients', () => waitingRecords(Clients, 500));
    expect(query).toMatchObject({ keysExamined: 3, docsExamined: 3, nreturned: 3, planSummary: 'IXSCAN { outbox.timestamp: 1 }' });
    expect(query).not.toHaveProperty('hasSortStage');
  });

  test('the record that waits longest comes first, and a batch is bounded', async () => {
    const made = [await make('first'), await make('second'), await make('third')];
    const [first, second] = await waitingRecords(Clients, 2);
    expect([first?._id, second?._id]).toEqual([made[0]?._id, made[1]?._id]);
    expect(await waitingRecords(Clients, 2)).toHaveLength(2);
  });

  test('published events are removed from their record, later ones stay', async () => {
    const made = await make('one');
    const [record] = await waitingRecords(Clients, 1);
    if (record === undefined) throw new Error('nothing waits');
    await saveChange(Clients, caller, made, new Change({ name: 'two' }, [event('later')]));
    await settleOutbox(Clients, [{ record, ids: record.outbox.map(({ id }) => id) }]);
    expect(await waitingRecords(Clients, 10)).toMatchObject([{ _id: made._id, outbox: [waiting('later')] }]);
  });

  test('a tombstone is deleted once all its events are published', async () => {
    const made = await make('one');
    await removeChange(Clients, caller, made, [event('gone')]);
    const [record] = await waitingRecords(Clients, 1);
    if (record === undefined) throw new Error('nothing waits');
    await settleOutbox(Clients, [{ record, ids: record.outbox.slice(0, 1).map(({ id }) => id) }]);
    expect(await waitingRecords(Clients, 10)).toMatchObject([{ _id: made._id, outbox: [waiting('gone')], tombstone: true }]);
    await settleAll();
    expect(await database().collection<{ _id: string }>('clients').findOne({ _id: made._id })).toBeNull();
  });

  test('a record with more events than one read returns publishes all of them, in order', async () => {
    const numbers = Array.from({ length: 120 }, (_, n) => `${n}`);
    const made = await make('many', numbers.map(event));
    await removeChange(Clients, caller, made, [event('gone')]);
    const published: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      for (const { outbox } of await waitingRecords(Clients, 10)) published.push(...outbox.map(({ data }) => JSON.parse(data)));
      await settleAll();
    }
    expect(published).toEqual([...numbers, 'gone'].map((template_id) => ({ template_id })));
    expect(await database().collection<{ _id: string }>('clients').findOne({ _id: made._id })).toBeNull();
  });

  test('a change whose event has more than 64 KB is refused as a whole', async () => {
    const ofBytes = (bytes: number) => event('é'.repeat((bytes - JSON.stringify({ template_id: '' }).length) / 2));
    await expect(make('large', [ofBytes(64 * 1024 + 2)])).rejects.toThrow(RangeError);
    expect(await database().collection('clients').countDocuments({ name: 'large' })).toBe(0);
    await make('largest', [ofBytes(64 * 1024)]);
    expect(await waitingRecords(Clients, 10)).toHaveLength(1);
  });

  test('requestsOn omits exactly the commands of the relay', async () => {
    const [changed, removed] = [await make('changed'), await make('removed')];
    await removeChange(Clients, caller, removed, [event('gone')]);
    const operations = await requestsOn('clients', async () => {
      for (const record of await waitingRecords(Clients, 1, [changed._id])) {
        await settleOutbox(Clients, [{ record, ids: record.outbox.map(({ id }) => id) }]);
      }
      await settleAll();
      await saveChange(Clients, caller, changed, new Change({ name: 'changed again' }, [event('again')]));
    });
    expect(operations).toMatchObject([{ op: 'update', command: { q: { _id: { $eq: changed._id } } } }]);
    expect(await database().collection<{ _id: string }>('clients').findOne({ _id: removed._id })).toBeNull();
  });
});
