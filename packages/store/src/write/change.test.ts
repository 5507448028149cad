import { randomUUID } from 'node:crypto';
import { Change, type RaisedEvent } from '@webkiln/messages';
import mongoose from 'mongoose';
import { database } from '../connection.ts';
import { newId } from '../idempotency/idempotency.ts';
import { defineModel } from '../model/define-model.ts';
import { scoped } from '../scoped.ts';
import { isDuplicate } from '../store-errors.ts';
import { operationsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange, insertChanges, removeChange, saveChange, saveChanges } from './change.ts';
import { saveWithRetry } from './etag.ts';
import { onOutboxWritten, waitingRecords } from './outbox.ts';
import { inTransaction } from './transaction.ts';

const Undeclared = defineModel<{ name: string }>('undeclared', { name: String });
const Templates = defineModel<{ name: string }>(
  'templates',
  { name: String },
  { raisesEvents: true, indexes: [[{ org_id: 1, name: 1 }, { unique: true }]] },
);

useTestStore();

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
  expect(await eventsOf('one')).toMatchObject([1, 2, 3].map((n) => ({ type: 'internal.template.deleted', data: { template_id: `${n}` } })));
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
