import { randomUUID } from 'node:crypto';
import { Change } from '@webkiln/messages';
import { database } from '../connection.ts';
import { defineModel } from '../model/define-model.ts';
import { operationsOn, requestsOn, testCaller, useTestStore } from '../testing/index.ts';
import { insertChange, removeChange, saveChange } from './change.ts';
import { settleOutbox, waitingRecords } from './outbox.ts';

const Clients = defineModel<{ name: string }>('clients', { name: String }, { raisesEvents: true });

useTestStore();

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
