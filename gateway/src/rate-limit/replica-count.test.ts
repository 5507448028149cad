import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { ReplicaCount } from './replica-count.ts';

const noon = Date.UTC(2026, 2, 1, 12);
const connections: Redis[] = [];
let clock: number;
let gateways: ReplicaCount[];

/** Three gateways that share a Redis and a clock that only the test moves. */
beforeEach(async () => {
  clock = noon;
  const keyPrefix = `${randomUUID()}:`;
  const own = Array.from({ length: 3 }, () => new Redis(process.env.REDIS_URL ?? '', { keyPrefix, lazyConnect: true }));
  connections.push(...own);
  gateways = own.map((redis) => new ReplicaCount(redis, () => clock));
  await Promise.all(own.map((redis) => redis.connect()));
  // The first gateway sees the others at its second heartbeat.
  for (const gateway of [...gateways, ...gateways]) await gateway.heartbeat();
});
afterEach(() => Promise.all(gateways.map((gateway) => gateway.leave())));
afterAll(() => {
  for (const redis of connections) redis.disconnect();
});

test('gateways that share a Redis count each other', () => {
  expect(gateways.map(({ alive }) => alive)).toEqual([3, 3, 3]);
});

test('after Redis lost its data the count stays until every gateway has sent a heartbeat', async () => {
  await connections.at(-1)?.del('gateways');
  clock += 2000;
  for (const gateway of gateways) {
    await gateway.heartbeat();
    expect(gateway.alive).toBe(3);
  }
});

test('gateways that left or went silent drop out of the count', async () => {
  const [staying, leaving] = gateways as [ReplicaCount, ReplicaCount];
  await leaving.leave();
  connections.at(-1)?.disconnect();
  for (let heartbeat = 0; heartbeat < 8; heartbeat++) {
    clock += 2000;
    await staying.heartbeat();
  }
  expect(staying.alive).toBe(1);
});
