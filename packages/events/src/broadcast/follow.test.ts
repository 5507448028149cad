import { randomUUID } from 'node:crypto';
import { until } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from './connection.ts';
import { follow } from './follow.ts';
import { NatsServer } from './nats-server.ts';
import { eventsStream } from './stream.ts';
import { ownStream, withNats } from './testing.ts';

const { stream, subjectPrefix: prefix, maxBytes = 0 } = ownStream();
let nats: NatsServer;
let heard: string[];

beforeEach(async () => {
  heard = [];
  nats = await NatsServer.notYetStarted();
});
afterEach(async () => {
  await closeEvents();
  await nats.remove();
});

const connectTo = () => connectEvents(nats.url, 'test', { stream, subjectPrefix: prefix, maxBytes });
const hear = async ({ id }: { id: string }) => void heard.push(id);
/** Puts an event of each type on the stream; returns their ids. */
const published = (...types: string[]): Promise<string[]> =>
  withNats(async (connection) => {
    await eventsStream({ stream, prefix, maxBytes }).ensure(connection);
    const ids = types.map(() => randomUUID());
    for (const [index, type] of types.entries()) {
      await connection.jetstream().publish(`${prefix}events.${type}`, JSON.stringify({ id: ids[index], type }));
    }
    return ids;
  }, nats.url);

test('who follows hears the wanted events from that moment on, in order and once each, over a kill -9 of NATS', async () => {
  await nats.start();
  await published('client.created');
  await connectTo();
  await follow(['client.created', 'client.updated'], hear);
  const [first = '', , third = ''] = await published('client.created', 'project.created', 'client.updated');
  await until(() => heard.length === 2);
  await nats.kill();
  await nats.start();
  const later = await published('client.updated', 'client.created', 'client.updated');
  await until(() => heard.length >= 5);
  expect(heard).toEqual([first, third, ...later]);
});

test('nothing is missed while NATS goes away before anything was heard', async () => {
  await nats.start();
  await published('client.created');
  await connectTo();
  await follow(['client.created'], hear);
  await nats.kill();
  await nats.start();
  const ids = await published('client.created');
  await until(() => heard.length > 0);
  expect(heard).toEqual(ids);
});

test('an event whose handling fails is heard again before the next one', async () => {
  await nats.start();
  await connectTo();
  await follow(['client.created'], async (event) => {
    await hear(event);
    if (heard.length < 3) throw new Error('not now');
  });
  const [first, second] = await published('client.created', 'client.created');
  await until(() => heard.length >= 4);
  expect(heard).toEqual([first, first, first, second]);
});

test('following begins when NATS is there, and goes on where it comes back with an empty disk', async () => {
  await connectTo();
  const following = follow(['client.created'], hear);
  await nats.start();
  await following;
  await published('client.created', 'client.created');
  await until(() => heard.length === 2);
  await nats.kill();
  nats.empty();
  await nats.start();
  const [id] = await published('client.created');
  await until(() => heard.length === 3);
  expect(heard[2]).toBe(id);
});

test('who stops before NATS ever answered is let go', async () => {
  await connectTo();
  const following = follow(['client.created'], hear);
  await closeEvents();
  await following;
  expect(heard).toEqual([]);
});
