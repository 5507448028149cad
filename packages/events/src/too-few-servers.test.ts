import { logger } from '@webkiln/runtime';
import { waitingRecords } from '@webkiln/store';
import { until, useTestStore } from '@webkiln/store/testing';
import { TooFewServers } from './stream-replicas.ts';
import { NatsCluster } from './testing/nats-cluster.ts';
import { NatsServer } from './testing/nats-server.ts';
import { allPublished, handleEvents, useOwnServers } from './testing/own-servers.ts';
import { record, Templates } from './testing/template-records.ts';

useTestStore();
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
