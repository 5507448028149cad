import { randomUUID } from 'node:crypto';
import type { Project } from '@webkiln/contract';
import { Change, type EventEnvelope } from '@webkiln/messages';
import { defineGlobalModel, defineModel, insertChange, removeChange, saveChange, scoped, waitingRecords } from '@webkiln/store';
import { operationsOn, testCaller, until, useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { closeEvents, connectEvents } from '../connection.ts';
import { deleted, marksOn, messagesOn, ownStream, record, removeStream, Templates, withNats } from '../testing/template-records.ts';
import { startRelay } from './relay.ts';

useTestStore();

let options: ReturnType<typeof ownStream>;

beforeEach(async () => {
  options = ownStream();
  await connectEvents(process.env.NATS_URL ?? '', 'test', options);
});
afterEach(async () => {
  await closeEvents();
  await removeStream(options.stream);
});

const allPublished = () => until(async () => (await waitingRecords(Templates, 1)).length === 0);

/** Writes like a process that dies before its relay sees the record, so that only a sweep finds it. */
async function leaveBehind(traceparent?: string): Promise<void> {
  const entry = { id: randomUUID(), ...deleted('left'), timestamp: new Date().toISOString(), ...(traceparent && { traceparent }) };
  const left = { _id: randomUUID(), org_id: 'org', revision: 1, outbox: [entry] };
  await mongoose.connection.collection<{ _id: string }>('templates').insertOne(left);
}

test('an event is published with its record’s organization, under its own id and subject, and leaves the outbox', async () => {
  startRelay();
  const caller = testCaller(randomUUID());
  const project = { id: 'p', name: 'Bakery' } as Project;
  const events = [deleted('t'), { type: 'project.created' as const, data: { project } }];
  await insertChange(Templates, caller, new Change({ _id: randomUUID(), name: 'one' }, events));
  await allPublished();
  const [internal, open] = await messagesOn(options.stream);
  expect(internal?.subject).toBe(`${options.subjectPrefix}internal.template.deleted`);
  expect(open?.subject).toBe(`${options.subjectPrefix}events.project.created`);
  const envelope = open?.json<EventEnvelope<'project.created'>>();
  expect(envelope).toEqual({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    type: 'project.created',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    org_id: caller.principal.org_id,
    api_version: 'v1',
    data: { project },
  });
  expect(open?.header.get('Nats-Msg-Id')).toBe(envelope?.id);
});

test('the relay includes every model that raises events, also one defined after its start', async () => {
  const before = defineModel<{ name: string }>('defined_before', { name: String }, { raisesEvents: true });
  startRelay();
  const after = defineGlobalModel<{ name: string }>('defined_after', { name: String }, { raisesEvents: true });
  const caller = testCaller(randomUUID());
  const change = (name: string) => new Change({ _id: randomUUID(), name }, [deleted(name)]);
  await insertChange(before, caller, change('before'));
  await insertChange(after, caller, change('after'));
  await until(async () => (await marksOn(options.stream)).length === 2);
  expect((await marksOn(options.stream)).toSorted()).toEqual(['after', 'before']);
});

test('what this process inserts is published without being read, and is in order with what changes it', async () => {
  startRelay();
  const caller = testCaller(randomUUID());
  const ids = Array.from({ length: 20 }, () => randomUUID());
  const asked = await operationsOn(Templates.collection, async () => {
    await Promise.all(ids.map((_id) => insertChange(Templates, caller, new Change({ _id, name: 'one' }, [deleted(`${_id} first`)]))));
    await until(async () => (await messagesOn(options.stream)).length === ids.length);
  });
  const read = asked.filter(({ op, command }) => op === 'query' && JSON.stringify(command).includes(ids[0] ?? ''));
  expect(read).toEqual([]);
  await Promise.all(
    ids.map(async (_id) => {
      const made = await insertChange(Templates, caller, new Change({ _id: `${_id} again`, name: 'one' }, [deleted(`${_id} inserted`)]));
      await saveChange(Templates, caller, made, new Change({ name: 'two' }, [deleted(`${_id} changed`)]));
    }),
  );
  await allPublished();
  const marks = await marksOn(options.stream);
  expect(marks).toHaveLength(3 * ids.length);
  for (const id of ids) expect(marks.indexOf(`${id} inserted`)).toBeLessThan(marks.indexOf(`${id} changed`));
});

test('the event of a record of no organization has the one that the record names', async () => {
  const connections = defineGlobalModel<{ org_id: string }>('naming_organizations', { org_id: String }, { raisesEvents: true });
  startRelay();
  const org_id = randomUUID();
  await insertChange(connections, testCaller(randomUUID()), new Change({ _id: randomUUID(), org_id }, [deleted('named')]));
  await until(async () => (await messagesOn(options.stream)).length === 1);
  const [message] = await messagesOn(options.stream);
  expect(message?.json<EventEnvelope<'internal.template.deleted'>>().org_id).toBe(org_id);
});

test('the relay never queries a collection that raises no events', async () => {
  const silent = defineModel<{ name: string }>('silent', { name: String });
  const asked = await operationsOn(silent.collection, async () => {
    await scoped(silent, testCaller(randomUUID())).insert({ _id: randomUUID(), name: 'silent' });
    startRelay();
    for (let sweep = 0; sweep < 2; sweep++) {
      await leaveBehind();
      await allPublished();
    }
  });
  expect(asked.map(({ op }) => op)).toEqual(['insert']);
});

test('one command looks at all collections: one without waiting events is not asked, and what a process left in another is found', async () => {
  const settled = defineModel<{ name: string }>('settled', { name: String }, { raisesEvents: true });
  startRelay();
  const asked = await operationsOn(settled.collection, async () => {
    for (let look = 0; look < 2; look++) {
      await leaveBehind();
      await allPublished();
    }
  });
  expect(asked).toEqual([]);
});

test('events written before the relay started, or by a process that died, are published within seconds', async () => {
  const _id = await record(2);
  startRelay();
  await allPublished();
  expect(await marksOn(options.stream)).toEqual([`${_id} 0`, `${_id} 1`, `${_id} 2`]);
});

test('the events of each record are on the stream in order', async () => {
  startRelay();
  const ids = await Promise.all(Array.from({ length: 40 }, () => record(9)));
  await allPublished();
  const marks = await marksOn(options.stream);
  expect(marks).toHaveLength(400);
  for (const id of ids) {
    expect(marks.filter((mark) => mark.startsWith(id))).toEqual(Array.from({ length: 10 }, (_, n) => `${id} ${n}`));
  }
});

test('two relays at once publish no event twice', async () => {
  startRelay();
  startRelay();
  await Promise.all(Array.from({ length: 100 }, () => record(2)));
  await allPublished();
  const marks = await marksOn(options.stream);
  expect([marks.length, new Set(marks).size]).toEqual([300, 300]);
});

test('an event that a relay published before it died, its outbox still full, is not on the stream twice', async () => {
  const _id = await record();
  startRelay();
  await allPublished();
  const [message] = await messagesOn(options.stream);
  const { id, type, timestamp, data } = message?.json<EventEnvelope>() ?? {};
  const asBefore = { $push: { outbox: { id, type, timestamp, data } } } as object;
  await mongoose.connection.collection<{ _id: string }>('templates').updateOne({ _id }, asBefore);
  await allPublished();
  expect(await marksOn(options.stream)).toEqual([`${_id} 0`]);
});

test('a removed record’s tombstone is deleted when its last event is on the stream', async () => {
  startRelay();
  const org_id = randomUUID();
  const _id = await record(0, org_id);
  await removeChange(Templates, testCaller(org_id), { _id, revision: 1 }, [deleted('gone')]);
  await allPublished();
  expect(await marksOn(options.stream)).toEqual([`${_id} 0`, 'gone']);
  expect(await mongoose.connection.collection<{ _id: string }>('templates').findOne({ _id })).toBeNull();
});

test('events wait in their outboxes while the stream is full, and are published in order once it has room', async () => {
  const narrow = { subjects: [`${options.subjectPrefix}>`], max_msgs: 5, discard: 'new' as never };
  startRelay();
  const first = await record();
  await allPublished();
  await withNats(async (connection) => (await connection.jetstreamManager()).streams.update(options.stream, narrow));
  const ids = await Promise.all(Array.from({ length: 5 }, () => record(1)));
  await until(async () => (await marksOn(options.stream)).length === 5);
  const other = await record();
  const twoSweepsLater = Date.now() + 2_500;
  await until(async () => {
    expect([(await marksOn(options.stream)).length, (await waitingRecords(Templates, 1, [other])).length]).toEqual([5, 1]);
    return Date.now() > twoSweepsLater;
  });
  const wide = { ...narrow, max_msgs: -1 };
  await withNats(async (connection) => (await connection.jetstreamManager()).streams.update(options.stream, wide));
  await allPublished();
  const marks = await marksOn(options.stream);
  expect(new Set(marks)).toEqual(new Set([`${first} 0`, `${other} 0`, ...ids.flatMap((id) => [`${id} 0`, `${id} 1`])]));
  for (const id of ids) expect(marks.indexOf(`${id} 0`)).toBeLessThan(marks.indexOf(`${id} 1`));
});

test('an event that the stream refuses blocks the later ones of its record, and no other record', async () => {
  startRelay();
  await record();
  await allPublished();
  const limit = async (max_msg_size: number) =>
    withNats(async (connection) => (await connection.jetstreamManager()).streams.update(options.stream, { max_msg_size }));
  await limit(500);
  const [caller, _id, large] = [testCaller(randomUUID()), randomUUID(), 'x'.repeat(500)];
  await insertChange(Templates, caller, new Change({ _id, name: 'held' }, [deleted(large), deleted('behind')]));
  const free = await record();
  await until(async () => (await marksOn(options.stream)).includes(`${free} 0`));
  expect(await marksOn(options.stream)).not.toContain('behind');
  await limit(-1);
  await allPublished();
  expect((await marksOn(options.stream)).slice(-2)).toEqual([large, 'behind']);
});

test('the trace that raised an event travels with it', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await leaveBehind(traceparent);
  startRelay();
  await allPublished();
  const [message] = await messagesOn(options.stream);
  expect([message?.header.get('traceparent'), message?.string().includes(traceparent)]).toEqual([traceparent, false]);
});
