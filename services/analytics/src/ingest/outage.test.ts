import { NatsServer } from '@webkiln/events/testing/nats-server';
import { until } from '@webkiln/store/testing';
import { runIngest } from '../testing/running-ingest.ts';

const codeOf = (body: Buffer) => JSON.parse(body.toString()).code;

test('without NATS views are refused with Retry-After, and accepted once it is up', async () => {
  const nats = await NatsServer.notYetStarted();
  await using _removed = { [Symbol.asyncDispose]: () => nats.remove() };
  await using ingest = await runIngest({ natsUrl: nats.url });
  for (const refused of [await ingest.ask('/t.gif?p=/'), await ingest.collect([{ path: '/' }])]) {
    expect([refused.status, refused.headers['retry-after'], codeOf(refused.body)]).toEqual([503, '2', 'unavailable']);
  }
  expect((await ingest.ask('/t.js')).status).toBe(200);
  await nats.start();
  await ingest.ready();
  await nats.kill();
  await until(async () => (await ingest.ask('/t.gif?p=/away')).status === 503);
  nats.empty();
  await nats.start();
  await ingest.ready();
  expect((await ingest.views()).length).toBeGreaterThan(0);
});

test('a NATS that hangs does not make clients wait for long, and a message that it takes late is stored once', async () => {
  const nats = await NatsServer.notYetStarted();
  await using _removed = { [Symbol.asyncDispose]: () => nats.remove() };
  await nats.start();
  await using ingest = await runIngest({ natsUrl: nats.url });
  await ingest.ready();
  await nats.pause();
  const refused = await ingest.collect([{ id: 'late', path: '/late' }]);
  nats.continue();
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
  await ingest.ready();
  expect((await ingest.views()).filter(({ path }) => path === '/late').length).toBeLessThan(2);
});

test('a full stream accepts no view, keeps its views, and no refused view is confirmed', async () => {
  await using ingest = await runIngest({ maxBytes: 64 * 1024 });
  await ingest.ready();
  let accepted = 0;
  const long = Array.from({ length: 50 }, () => ({ path: `/${'x'.repeat(500)}` }));
  let last = await ingest.collect(long);
  for (; last.status === 204; last = await ingest.collect(long)) accepted += 50;
  expect([last.status, last.headers['retry-after'], codeOf(last.body)]).toEqual([503, '2', 'unavailable']);
  expect(accepted).toBeGreaterThan(0);
  expect((await ingest.views()).filter(({ path }) => path.length > 100)).toHaveLength(accepted);
});

test('an address that exceeds its limit gets 429 with Retry-After; other addresses do not', async () => {
  await using ingest = await runIngest({ perAddress: 100 });
  await ingest.ready();
  const from = (address: string, views: number) =>
    ingest.collect(Array(views).fill({ path: '/' }), { headers: { 'x-webkiln-client-address': address } });
  const statuses: number[] = [];
  for (let request = 0; request < 6; request++) statuses.push((await from('192.0.2.1', 40)).status);
  expect(statuses.at(-1)).toBe(429);
  const refused = await from('192.0.2.1', 40);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(codeOf(refused.body)).toBe('rate_limited');
  expect((await from('192.0.2.2', 40)).status).toBe(204);
});
