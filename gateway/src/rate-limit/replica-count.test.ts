import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Replicas } from './replicas.ts';

const noon = Date.UTC(2026, 2, 1, 12);
const connections: Redis[] = [];
let clock: number;
let gateways: Replicas[];

/** Three gateways that share a Redis, by one clock that only the test moves. */
beforeEach(async () => {
  clock = noon;
  const keyPrefix = `${randomUUID()}:`;
  const own = Array.from({ length: 3 }, () => new Redis(process.env.REDIS_URL ?? '', { keyPrefix, lazyConnect: true }));
  connections.push(...own);
  gateways = own.map((redis) => new Replicas(redis, () => clock));
  await Promise.all(own.map((redis) => redis.connect()));
  // Who beats first sees the others at his second beat.
  for (const gateway of [...gateways, ...gateways]) await gateway.beat();
});
afterEach(() => Promise.all(gateways.map((gateway) => gateway.leave())));
afterAll(() => {
  for (const redis of connections) redis.disconnect();
});

test('gateways that share a Redis count each other', () => {
  expect(gateways.map(({ alive }) => alive)).toEqual([3, 3, 3]);
});

test('who meets a Redis that came back empty does not believe at once to be alone', async () => {
  await connections.at(-1)?.del('gateways');
  clock += 2000;
  for (const gateway of gateways) {
    await gateway.beat();
    expect(gateway.alive).toBe(3);
  }
});

test('one that left, and one that fell silent, are counted no longer after a while', async () => {
  const [staying, leaving] = gateways as [Replicas, Replicas];
  await leaving.leave();
  connections.at(-1)?.disconnect();
  for (let beat = 0; beat < 8; beat++) {
    clock += 2000;
    await staying.beat();
  }
  expect(staying.alive).toBe(1);
});
