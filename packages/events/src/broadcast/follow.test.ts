import { randomUUID } from 'node:crypto';
import { until } from '@webkiln/store/testing';
import { closeEvents, connectEvents } from '../connection.ts';
import { openEventStreams } from '../event-streams.ts';
import { streamSettings } from '../events-options.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { ownStream, withNats } from '../testing/template-records.ts';
import { follow } from './follow.ts';

const options = ownStream();
const { subjectPrefix: prefix } = options;
let nats: NatsServer;
let received: string[];

beforeEach(async () => {
  received = [];
  nats = await NatsServer.notYetStarted();
});
afterEach(async () => {
  await closeEvents();
  await nats.remove();
});

const connectTo = () => connectEvents(nats.url, 'test', options);
const receive = async ({ id }: { id: string }) => void received.push(id);
/** Publishes an event of each type; returns their ids. */
const published = (...types: string[]): Promise<string[]> =>
  withNats(async (connection) => {
    for (const made of Object.values(openEventStreams(streamSettings(options)))) await made.ensure(connection);
    const ids = types.map(() => randomUUID());
    for (const [index, type] of types.entries()) {
      await connection.jetstream().publish(`${prefix}events.${type}`, JSON.stringify({ id: ids[index], type }));
    }
    return ids;
  }, nats.url);

test('a follower receives the events of its types from its start, in order and once each, through a kill -9 of NATS', async () => {
  await nats.start();
  await published('client.created');
  await connectTo();
  await follow(['client.created', 'client.updated'], receive);
  const [first = '', , third = ''] = await published('client.created', 'project.created', 'client.updated');
  await until(() => received.length === 2);
  await nats.kill();
  await nats.start();
  const later = await published('client.updated', 'client.created', 'client.updated');
  await until(() => received.length >= 5);
  expect(received).toEqual([first, third, ...later]);
});

test('no event is missed if NATS goes away before the first one arrives', async () => {
  await nats.start();
  await published('client.created');
  await connectTo();
  await follow(['client.created'], receive);
  await nats.kill();
  await nats.start();
  const ids = await published('client.created');
  await until(() => received.length > 0);
  expect(received).toEqual(ids);
});

test('an event whose handler fails is handled again before the next one', async () => {
  await nats.start();
  await connectTo();
  await follow(['client.created'], async (event) => {
    await receive(event);
    if (received.length < 3) throw new Error('not now');
  });
  const [first, second] = await published('client.created', 'client.created');
  await until(() => received.length >= 4);
  expect(received).toEqual([first, first, first, second]);
});

test('following starts when NATS is reachable, and continues after NATS returns with an empty disk', async () => {
  await connectTo();
  const following = follow(['client.created'], receive);
  await nats.start();
  await following;
  await published('client.created', 'client.created');
  await until(() => received.length === 2);
  await nats.kill();
  nats.empty();
  await nats.start();
  const [id] = await published('client.created');
  await until(() => received.length === 3);
  expect(received[2]).toBe(id);
});

test('following ends when the process stops before NATS was ever reachable', async () => {
  await connectTo();
  const following = follow(['client.created'], receive);
  await closeEvents();
  await following;
  expect(received).toEqual([]);
});
