import { setTimeout as pause } from 'node:timers/promises';
import { eventStreams } from '@webkiln/messages';
import { logger } from '@webkiln/runtime';
import { waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import type { NatsConnection } from 'nats';
import { theBus } from './bus.ts';
import { openEventStreams, streamSettings } from './event-streams.ts';
import { answeredRequests } from './fire-and-forget-stream.ts';
import { TooFewServers } from './persistent-stream.ts';
import { NatsCluster, startNatsCluster } from './testing/nats-cluster.ts';
import { NatsServer } from './testing/nats-server.ts';
import { allPublished, handleEvents, useOwnServers } from './testing/own-servers.ts';
import { record, Templates, withNats } from './testing/template-records.ts';
import { TurnStream } from './turns/turn-stream.ts';
import { replicasInSync, showStream } from './upkeep/keep-streams.ts';

useTestStore();

describe('the replicas of a stream', () => {
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
      while (isWriting) {
        ids.push(...(await Promise.all([record(2), record(2), record(2)])));
        await pause(20);
      }
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
});

describe('too few servers', () => {
  const { use, start, info, inSync, marks } = useOwnServers();
  const [errors, warnings] = [jest.spyOn(logger, 'error'), jest.spyOn(logger, 'warn')];
  const messages = () => errors.mock.calls.map(([, message]) => String(message));

  /** A cluster of which two servers run, and the third one's name. */
  async function twoOfThree(): Promise<{ cluster: NatsCluster; third: string }> {
    const cluster = use(await NatsCluster.notYetStarted(3));
    const [first = '', second = '', third = ''] = cluster.names;
    await cluster.start([first, second]);
    return { cluster, third };
  }

  test('one server with EVENTS_REPLICAS=3: a stream that exists goes on as it is, and a message says what to do', async () => {
    const server = use(await NatsServer.notYetStarted());
    await server.start();
    await start(1);
    const first = await record();
    await allPublished();
    await start(3);
    const handled = handleEvents();
    const second = await record();
    await until(() => handled.size === 2);
    expect([[...handled].sort(), (await info()).config.num_replicas]).toEqual([[`${first} 0`, `${second} 0`].sort(), 1]);
    expect(messages()).toContainEqual(
      'NATS has too few servers for EVENTS_REPLICAS=3 (replicas > 1 not supported in non-clustered mode): the stream keeps the replicas that ' +
        'it has (1). Start or add NATS servers, or set EVENTS_REPLICAS=1 in every process; trying again every 15 s',
    );
  });

  test('too few servers for a stream that does not exist: events wait, a message says what to do, and a server more ends it', async () => {
    const { cluster, third } = await twoOfThree();
    await start(3);
    const handled = handleEvents();
    const id = await record();
    const sentence =
      /^NATS has too few servers for EVENTS_REPLICAS=3 \(no suitable peers.*: the stream does not exist yet, and what needs it waits\./;
    await until(() => messages().some((message) => sentence.test(message)));
    expect([await inSync(), handled.size, await waitingRecords(Templates, 2)]).toEqual([undefined, 0, [expect.anything()]]);
    await cluster.start([third]);
    await until(() => handled.size === 1);
    expect([[...handled], (await info()).config.num_replicas]).toEqual([[`${id} 0`], 3]);
    const failures = warnings.mock.calls.filter(([fields]) => 'consumer' in Object(fields));
    expect(failures.filter(([fields]) => Object(fields).err instanceof TooFewServers)).toEqual([]);
  });

  test('a stream that exists is raised without a restart of the process when NATS has a server more', async () => {
    const { cluster, third } = await twoOfThree();
    await start(1);
    const id = await record();
    await allPublished();
    await start(3);
    const handled = handleEvents();
    await until(() => handled.size === 1);
    await cluster.start([third]);
    await until(async () => (await inSync()) === 3);
    expect([[...handled], await marks()]).toEqual([[`${id} 0`], [`${id} 0`]]);
  });
});
