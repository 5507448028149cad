import { eventStreams } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import type { NatsConnection, StreamInfo } from 'nats';
import { answeredRequests } from './answered-requests.ts';
import { theBus } from './bus.ts';
import { closeEvents, connectEvents } from './connection.ts';
import { consume } from './consume/consume.ts';
import { openEventStreams } from './event-streams.ts';
import { streamSettings } from './events-options.ts';
import { startRelay } from './relay/relay.ts';
import { NatsCluster, startNatsCluster } from './testing/nats-cluster.ts';
import { NatsServer } from './testing/nats-server.ts';
import { marksOn, record, Templates, withNats } from './testing/template-records.ts';
import { TurnStream } from './turns/turn-stream.ts';
import { replicasInSync, showStream } from './upkeep/stream-metrics.ts';

useTestStore();

// Of the whole file: a sentence is logged once a minute.
const [errors, warnings] = [jest.spyOn(logger, 'error'), jest.spyOn(logger, 'warn')];

let servers: { readonly url: string; remove(): Promise<void> };
afterEach(async () => {
  await closeEvents();
  await servers.remove();
});

const start = async (replicas: number) => {
  await closeEvents();
  await connectEvents(servers.url, 'test', { replicas });
  startRelay();
};

/** Starts to handle events, each once; returns their marks. */
function handled(): string[] {
  const marks: string[] = [];
  const transactionalHandler = async ({ data }: { data: { template_id: string } }) => void marks.push(data.template_id);
  consume({ name: 'reader', types: ['internal.template.deleted'], transactionalHandler });
  return marks;
}

const info = (stream = 'EVENTS'): Promise<StreamInfo> =>
  withNats(async (connection) => (await connection.jetstreamManager()).streams.info(stream), servers.url);
/** Replicas that hold everything; undefined while there is no stream. */
const complete = async (stream?: string) => {
  const { cluster } = await info(stream).catch(() => ({ cluster: undefined }));
  return cluster && (cluster.leader ? 1 : 0) + (cluster.replicas ?? []).filter(({ current }) => current).length;
};
const allPublished = () => until(async () => (await waitingRecords(Templates, 1)).length === 0);
const messages = () => errors.mock.calls.map(([, message]) => String(message));

test('a start raises the replicas of every stream with its messages and consumers, and lowers them again', async () => {
  servers = await startNatsCluster();
  await start(1);
  const before = handled();
  for (let n = 0; n < 50; n++) await record(3);
  await until(() => before.length === 200);
  const kept = await marksOn('EVENTS', servers.url);
  await start(3);
  const after = handled();
  await until(() => theBus().connection !== undefined);
  const bus = theBus();
  const streams = [...eventStreams.map((name) => bus.streams[name]), answeredRequests(bus), new TurnStream(bus)];
  for (const stream of streams) await stream.ensure(bus.connection as NatsConnection);
  for (const { name } of streams) await until(async () => (await complete(name)) === 3);
  expect(await marksOn('EVENTS', servers.url)).toEqual(kept);
  await withNats(async (connection) => {
    const { consumers } = await connection.jetstreamManager();
    await until(async () => (await consumers.info('EVENTS', 'reader')).cluster?.replicas?.filter(({ current }) => current).length === 2);
  }, servers.url);
  showStream('EVENTS', await info(), []);
  expect((await replicasInSync.get()).values).toEqual([{ labels: { stream: 'EVENTS' }, value: 3 }]);
  const id = await record();
  await until(() => after.length > 0);
  expect([kept.length, after]).toEqual([200, [`${id} 0`]]);
  await start(1);
  handled();
  await until(async () => (await info()).config.num_replicas === 1);
  expect((await marksOn('EVENTS', servers.url)).slice(0, 200)).toEqual(kept);
});

test('processes with different settings change a stream once each: the last that starts decides', async () => {
  servers = await startNatsCluster();
  const streamOf = (replicas: number) => openEventStreams(streamSettings({ replicas })).EVENTS;
  const [three, one] = [streamOf(3), streamOf(1)];
  await withNats(async (connection) => {
    const seen: number[] = [];
    for (const stream of [three, one, three, one, three]) {
      stream.forget();
      await stream.ensure(connection);
      seen.push((await info()).config.num_replicas);
    }
    expect(seen).toEqual([3, 1, 1, 1, 1]);
  }, servers.url);
});

test('a NATS server that is lost with its disk while events are published loses none that was acknowledged', async () => {
  const cluster = await startNatsCluster();
  servers = cluster;
  await start(3);
  const marks = handled();
  const ids: string[] = [];
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) ids.push(...(await Promise.all([record(2), record(2), record(2)])));
  })();
  const moreAreHandled = async () => {
    const before = marks.length;
    await until(() => marks.length > before + 100);
  };
  await until(async () => (await complete()) === 3);
  await moreAreHandled();
  const leader = async () => (await info()).cluster?.leader ?? '';
  const connected = async () => theBus().connection?.info?.server_name ?? '';
  for (const chosen of [connected, leader]) {
    const lost = await chosen();
    await cluster.destroy(lost);
    await moreAreHandled();
    await cluster.start([lost]);
    await until(async () => (await complete()) === 3);
  }
  await moreAreHandled();
  isWriting = false;
  await writing;
  await allPublished();
  await until(() => marks.length >= 3 * ids.length);
  expect(marks.toSorted()).toEqual(ids.flatMap((id) => [0, 1, 2].map((change) => `${id} ${change}`)).toSorted());
});

test('one server with EVENTS_REPLICAS=3: a stream that exists goes on as it is, and a message says what to do', async () => {
  const server = await NatsServer.notYetStarted();
  servers = server;
  await server.start();
  await start(1);
  const first = await record();
  await allPublished();
  await start(3);
  const marks = handled();
  const second = await record();
  await until(() => marks.length === 2);
  expect([marks.toSorted(), (await info()).config.num_replicas]).toEqual([[`${first} 0`, `${second} 0`].toSorted(), 1]);
  expect(messages()).toContainEqual(
    'NATS has too few servers for EVENTS_REPLICAS=3 (replicas > 1 not supported in non-clustered mode): the stream keeps the replicas that ' +
      'it has (1). Start or add NATS servers, or set EVENTS_REPLICAS=1 in every process; trying again every 15 s',
  );
});

test('too few servers for a stream that does not exist: events wait, a message says what to do, and a server more ends it', async () => {
  const cluster = await NatsCluster.notYetStarted(3);
  servers = cluster;
  const [late = '', ...others] = cluster.names.toReversed();
  await cluster.start(others);
  await start(3);
  const marks = handled();
  const id = await record();
  const sentence =
    /^NATS has too few servers for EVENTS_REPLICAS=3 \(no suitable peers.*: the stream does not exist yet, and what needs it waits\./;
  await until(() => messages().some((message) => sentence.test(message)));
  expect([await complete(), marks, await waitingRecords(Templates, 2)]).toEqual([undefined, [], [expect.anything()]]);
  await cluster.start([late]);
  await until(() => marks.length === 1);
  expect([marks, (await info()).config.num_replicas]).toEqual([[`${id} 0`], 3]);
  expect(warnings.mock.calls.filter(([fields]) => String((fields as { err?: unknown }).err).includes('EVENTS_REPLICAS'))).toEqual([]);
});

test('a stream that exists is raised without a restart of the process when NATS has a server more', async () => {
  const cluster = await NatsCluster.notYetStarted(3);
  servers = cluster;
  const [late = '', ...others] = cluster.names.toReversed();
  await cluster.start(others);
  await start(1);
  const before = await record();
  await allPublished();
  await start(3);
  const marks = handled();
  await until(() => marks.length === 1);
  await cluster.start([late]);
  await until(async () => (await complete()) === 3);
  expect([marks, await marksOn('EVENTS', servers.url)]).toEqual([[`${before} 0`], [`${before} 0`]]);
});
