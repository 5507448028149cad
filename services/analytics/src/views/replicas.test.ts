import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { withNats } from '@webkiln/events/testing';
import { type NatsCluster, startNatsCluster } from '@webkiln/events/testing/nats-cluster';
import { until } from '@webkiln/store/testing';
import { DailySalts } from '../salts/daily-salts.ts';
import { ViewsStream } from './views-stream.ts';

let cluster: NatsCluster;
beforeAll(async () => {
  cluster = await startNatsCluster();
});
afterEach(closeEvents);
afterAll(() => cluster.remove());

const bucket = 'VIEWS_salts';
const now = Date.UTC(2026, 10, 21, 12);
const started = async (replicas: number) => {
  await connectEvents(cluster.url, 'test', { replicas });
  await until(() => theBus().connection !== undefined);
};
const visitor = async () => {
  const salts = new DailySalts({ bus: theBus(), bucket, now: () => now });
  await until(() => salts.getIdentifier(now) !== undefined);
  await salts.refresh();
  return salts.getIdentifier(now)?.identify('shop', '192.0.2.1', 'agent').id;
};
const replicas = () =>
  withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    return Promise.all(['VIEWS', `KV_${bucket}`].map(async (stream) => (await streams.info(stream)).config.num_replicas));
  }, cluster.url);

test('the streams of views and of salts get the replicas that are set, and the salt of the day stays', async () => {
  await started(1);
  // As earlier releases made it.
  await withNats((connection) => connection.jetstream().views.kv(bucket, { ttl: 26 * 3600_000, allow_direct: false }), cluster.url);
  await withNats((connection) => new ViewsStream(theBus(), { maxBytes: 1024 ** 2 }).ensure(connection), cluster.url);
  const before = await visitor();
  expect(await replicas()).toEqual([1, 1]);
  await closeEvents();
  await started(3);
  await withNats((connection) => new ViewsStream(theBus(), { maxBytes: 1024 ** 2 }).ensure(connection), cluster.url);
  expect(await visitor()).toBe(before);
  expect(await replicas()).toEqual([3, 3]);
});
