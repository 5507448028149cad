import { eventStreams } from '@webkiln/messages';
import { until, useTestStore } from '@webkiln/store/testing';
import type { NatsConnection } from 'nats';
import { answeredRequests } from './answered-requests.ts';
import { theBus } from './bus.ts';
import { openEventStreams } from './event-streams.ts';
import { streamSettings } from './events-options.ts';
import { startNatsCluster } from './testing/nats-cluster.ts';
import { allPublished, handleEvents, useOwnServers } from './testing/own-servers.ts';
import { record, withNats } from './testing/template-records.ts';
import { TurnStream } from './turns/turn-stream.ts';
import { replicasInSync, showStream } from './upkeep/stream-metrics.ts';

useTestStore();
const { use, start, info, inSync, marks } = useOwnServers();

test('a start raises the replicas of every stream with its messages and consumers, and lowers them again', async () => {
  const { url } = use(await startNatsCluster());
  await start(1);
  const before = handleEvents();
  for (let n = 0; n < 50; n++) await record(3);
  await until(() => before.size === 200);
  const kept = await marks();
  await start(3);
  const after = handleEvents();
  await until(() => theBus().connection !== undefined);
  const bus = theBus();
  const streams = [...eventStreams.map((name) => bus.streams[name]), answeredRequests(bus), new TurnStream(bus)];
  for (const stream of streams) await stream.ensure(bus.connection as NatsConnection);
  for (const { name } of streams) await until(async () => (await inSync(name)) === 3);
  expect([kept.length, await marks()]).toEqual([200, kept]);
  await withNats(async (connection) => {
    const { consumers } = await connection.jetstreamManager();
    const followers = async () => (await consumers.info('EVENTS', 'reader')).cluster?.replicas ?? [];
    await until(async () => (await followers()).filter(({ current }) => current).length === 2);
  }, url);
  showStream('EVENTS', await info(), []);
  expect((await replicasInSync.get()).values).toEqual([{ labels: { stream: 'EVENTS' }, value: 3 }]);
  const id = await record();
  await until(() => after.size > 0);
  expect([...after]).toEqual([`${id} 0`]);
  await start(1);
  handleEvents();
  await until(async () => (await info()).config.num_replicas === 1);
  expect(await marks()).toEqual([...kept, `${id} 0`]);
});

test('processes with different settings change a stream once each: the last that starts decides', async () => {
  const { url } = use(await startNatsCluster());
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
  }, url);
});

test('a NATS server that is lost with its disk while events are published loses none that was acknowledged', async () => {
  const cluster = use(await startNatsCluster());
  await start(3);
  const handled = handleEvents();
  const ids: string[] = [];
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) ids.push(...(await Promise.all([record(2), record(2), record(2)])));
  })();
  const moreAreHandled = async () => {
    const before = handled.size;
    await until(() => handled.size > before + 100);
  };
  await until(async () => (await inSync()) === 3);
  await moreAreHandled();
  const leader = async () => (await info()).cluster?.leader;
  const connected = async () => theBus().connection?.info?.server_name;
  for (const chosen of [connected, leader]) {
    let lost = '';
    await until(async () => {
      lost = (await chosen()) ?? '';
      return lost !== '';
    });
    await cluster.destroy(lost);
    await moreAreHandled();
    await cluster.start([lost]);
    await until(async () => (await inSync()) === 3);
  }
  await moreAreHandled();
  isWriting = false;
  await writing;
  await allPublished();
  await until(() => handled.size >= 3 * ids.length);
  expect([...handled].sort()).toEqual(ids.flatMap((id) => [0, 1, 2].map((change) => `${id} ${change}`)).sort());
});
