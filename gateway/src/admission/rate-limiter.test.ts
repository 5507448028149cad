import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';
import { Authority } from '@webkiln/runtime/testing/certificates';
import { PlainServer, tlsHandshake } from '@webkiln/runtime/testing/plain-server';
import { startServer, writeCertificate } from '@webkiln/runtime/testing/server-process';
import { connected, connectionOf } from '@webkiln/runtime/testing/tls-client';
import { Redis } from 'ioredis';
import { RedisCluster, RedisServer } from '../testing/redis-server.ts';
import { ReplicaCount } from './local-limiter.ts';
import { RateLimiter } from './rate-limiter.ts';

const quota = 20;
/** Longer than a slow machine needs for the requests of a test. */
const longWindowMs = 600_000;
const redisTimeoutMs = 60_000;
const shortWindowMs = 1000;
const limiters: RateLimiter[] = [];

/** The connected limiter of one gateway. */
async function limiter({ redisUrl = process.env.REDIS_URL ?? '', replicas = 1, windowMs = longWindowMs } = {}): Promise<RateLimiter> {
  const created = new RateLimiter({ redisUrl, redisTimeoutMs, windowMs, replicas: () => replicas });
  limiters.push(created);
  if (redisUrl === process.env.REDIS_URL) await new Promise((resolve) => created.redis.once('ready', resolve));
  return created;
}

afterAll(() => Promise.all(limiters.map((each) => each.close())));

test('three gateways together accept exactly the quota within a window', async () => {
  const gateways = await Promise.all([limiter(), limiter(), limiter()]);
  const credential = randomUUID();
  const states = await Promise.all(
    Array.from({ length: 90 }, (_, request) => (gateways[request % 3] as RateLimiter).consume(credential, quota)),
  );
  expect(states.filter(({ allowed }) => allowed)).toHaveLength(quota);
});

test('no window of time holds more than the quota, and the quota can be used in full', async () => {
  const gateways = await Promise.all(Array.from({ length: 3 }, () => limiter({ windowMs: shortWindowMs })));
  const credential = randomUUID();
  const [startTimes, endTimes]: [number[], number[]] = [[], []];
  const hammer = async (gateway: RateLimiter) => {
    while (endTimes.length < 4 * quota) {
      const startedAt = performance.now();
      if ((await gateway.consume(credential, quota)).allowed) {
        startTimes.push(startedAt);
        endTimes.push(performance.now());
      }
      await nextTick();
    }
  };
  await Promise.all(gateways.flatMap((gateway) => [hammer(gateway), hammer(gateway)]));
  const [from, to] = [startTimes, endTimes].map((times) => times.sort((a, b) => a - b)) as [number[], number[]];
  // Redis counts each request between its start and its end. If quota + 1 requests are accepted, a window lies
  // between first start and last end.
  for (let first = 0; first + quota < to.length; first++) {
    expect((to[first + quota] as number) - (from[first] as number)).toBeGreaterThanOrEqual(shortWindowMs);
  }
});

test('one request passes after the reset time of a refusal, and none before', async () => {
  const gateway = await limiter({ windowMs: shortWindowMs });
  const credential = randomUUID();
  const since = performance.now();
  let state = await gateway.consume(credential, quota);
  // A round of twice the quota exceeds the limit, unless a slow machine needs longer than the window: then another
  // round does.
  while (state.allowed)
    state = (await Promise.all(Array.from({ length: 2 * quota }, () => gateway.consume(credential, quota)))).at(-1) ?? state;
  expect(state).toMatchObject({ allowed: false, remaining: 0 });
  expect(state.resetMs).toBeLessThanOrEqual(shortWindowMs);
  expect(performance.now() - since + state.resetMs).toBeGreaterThanOrEqual(shortWindowMs);
  await pause(state.resetMs + 2);
  expect((await gateway.consume(credential, quota)).allowed).toBe(true);
});

test('no gateway counts a refused request', async () => {
  const [gateway, other] = await Promise.all([limiter(), limiter()]);
  const credential = randomUUID();
  for (let request = 0; request < quota; request++) await gateway.consume(credential, quota);
  for (let request = 0; request < 5; request++) await Promise.all([gateway.consume(credential, quota), other.consume(credential, quota)]);
  expect(await gateway.redis.llen(`rate:${credential}`)).toBe(quota);
});

test('the state counts down to the reset, and peek counts nothing', async () => {
  const gateway = await limiter();
  const credential = randomUUID();
  const first = await gateway.consume(credential, quota);
  expect(first).toMatchObject({ allowed: true, remaining: quota - 1, limit: quota });
  expect(first.resetMs).toBeLessThanOrEqual(longWindowMs);
  const peeked = await gateway.peek(credential, quota);
  expect(peeked.remaining).toBe(quota - 1);
  expect((await gateway.consume(credential, quota)).remaining).toBe(quota - 2);
});

test('credentials have separate quotas', async () => {
  const gateway = await limiter();
  const credential = randomUUID();
  for (let request = 0; request < quota; request++) await gateway.consume(credential, quota);
  expect((await gateway.consume(randomUUID(), quota)).remaining).toBe(quota - 1);
});

test('without Redis each gateway accepts its share of the quota, and at least one request', async () => {
  const closed = 'redis://127.0.0.1:9';
  const credential = randomUUID();
  const accepted = async (replicas: number, of: number) => {
    const gateway = await limiter({ redisUrl: closed, replicas });
    const states = await Promise.all(Array.from({ length: 2 * of }, () => gateway.consume(credential, of)));
    return states.filter(({ allowed }) => allowed).length;
  };
  expect(await accepted(3, quota)).toBe(6);
  expect(await accepted(5, 3)).toBe(1);
});

test('credentials of one organization together get exactly its quota over two gateways, and a refusal counts for neither', async () => {
  const gateways = await Promise.all([limiter(), limiter()]);
  const shared = { key: `organization:${randomUUID()}`, quota };
  const credentials = Array.from({ length: 5 }, () => randomUUID());
  const states = await Promise.all(
    Array.from({ length: 90 }, (_, at) => (gateways[at % 2] as RateLimiter).consume(credentials[at % 5] as string, quota, shared)),
  );
  expect(states.filter(({ allowed }) => allowed)).toHaveLength(quota);
  const refused = states.filter(({ allowed }) => !allowed);
  expect(refused.every(({ isShared, limit, remaining }) => isShared === true && limit === quota && remaining === 0)).toBe(true);
  const counted = await Promise.all(credentials.map((credential) => (gateways[0] as RateLimiter).peek(credential, quota)));
  expect(counted.reduce((sum, { remaining }) => sum + quota - remaining, 0)).toBe(quota);
  expect(await (gateways[0] as RateLimiter).consume(randomUUID(), quota, { ...shared, key: randomUUID() })).toMatchObject({
    allowed: true,
  });
});

describe('gateways that share a Redis', () => {
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
});

const endlessQuota = 1_000_000;

test('after a failover of Redis the limit is counted by the new primary, although the old one still answers as a replica', async () => {
  await using first = await RedisServer.start();
  await using second = await RedisServer.start();
  // The address of the primary, whichever server that is: a connection stays with the server that it reached.
  let primary = first;
  const address = createServer((socket) => {
    const upstream = connect(primary.port, '127.0.0.1');
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(upstream).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(address, 'listening');
  const redisUrl = `redis://127.0.0.1:${(address.address() as AddressInfo).port}`;
  const failingOver = new RateLimiter({ redisUrl, redisTimeoutMs, windowMs: longWindowMs, replicas: () => 1 });
  await once(failingOver.redis, 'ready');
  const credential = randomUUID();
  await failingOver.consume(credential, endlessQuota);
  expect(await first.admin.llen(`rate:${credential}`)).toBe(1);

  primary = second;
  await first.becomeReplicaOf(second);
  while ((await second.admin.llen(`rate:${credential}`)) === 0) {
    await failingOver.consume(credential, endlessQuota);
    await nextTick();
  }
  const counted = await second.admin.llen(`rate:${credential}`);
  await failingOver.consume(credential, endlessQuota);
  expect(await second.admin.llen(`rate:${credential}`)).toBe(counted + 1);
  await failingOver.close();
  address.close();
});

test('over three gateways and a Redis Cluster each credential and each organization gets exactly its quota', async () => {
  await using cluster = await RedisCluster.start();
  const options = { redisUrl: cluster.url, isCluster: true, redisTimeoutMs, windowMs: longWindowMs };
  const gateways = [1, 2, 3].map(() => new RateLimiter({ ...options, replicas: () => 1 }));
  await Promise.all(gateways.map(({ redis }) => once(redis, 'ready')));
  const organizations = Array.from({ length: 30 }, () => ({ credential: randomUUID(), key: `organization:${randomUUID()}` }));
  const accepted = async (requests: readonly Parameters<RateLimiter['consume']>[]) => {
    // Each organization meets every gateway.
    const states = await Promise.all(requests.map((request, at) => (gateways[(at % 7) % 3] as RateLimiter).consume(...request)));
    return Map.groupBy(
      requests.keys().filter((at) => states[at]?.allowed),
      (at) => requests[at]?.[2]?.key ?? requests[at]?.[0],
    );
  };
  const twice = Array.from({ length: 2 * quota }, () => organizations).flat();
  const alone = await accepted(twice.map(({ credential }) => [credential, quota]));
  expect([...alone.values()].map((requests) => requests.length)).toEqual(organizations.map(() => quota));
  const together = await accepted(twice.map(({ key }) => [randomUUID(), quota, { key, quota }]));
  expect([...together.values()].map((requests) => requests.length)).toEqual(organizations.map(() => quota));
  const keys = await Promise.all(cluster.nodes.map(({ admin }) => admin.dbsize()));
  expect(Math.min(...keys)).toBeGreaterThan(0);
  // Without a node each gateway counts by itself what that node counted; the others go on.
  await cluster.nodes[2]?.[Symbol.asyncDispose]();
  const without = await accepted(twice.map(({ key }) => [randomUUID(), quota, { key: `${key} again`, quota }]));
  expect(new Set([...without.values()].map((requests) => requests.length))).toEqual(new Set([quota, 2 * quota]));
  await Promise.all(gateways.map((gateway) => gateway.close()));
});

const client = require.resolve('../testing/tls-client.ts');
const ours = Authority.create();
const foreign = Authority.create();

async function startRedis() {
  const certificate = await (await ours).issue('cache.test');
  return startServer(process.env.REDIS_SERVER_BIN ?? 'redis-server', ({ port, folder }) => {
    const { cert, key, ca } = writeCertificate(folder, certificate);
    return [
      ...['--bind', '127.0.0.1', '--port', '0', '--tls-port', String(port), '--dir', folder, '--save', ''],
      ...['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'no'],
    ];
  });
}

test('with rediss://, Redis is believed with a certificate of an authority in NODE_EXTRA_CA_CERTS, for its host name alone', async () => {
  await using redis = await startRedis();
  const url = (host: string) => `rediss://${host}:${redis.port}`;
  expect(await connectionOf(client, url('127.0.0.1'), (await ours).cert)).toBe(connected);
  expect(await connectionOf(client, url('127.0.0.1'), (await foreign).cert)).toContain('certificate');
  expect(await connectionOf(client, url('localhost'), (await ours).cert)).toContain("does not match certificate's altnames");
});

test('with rediss://, nothing readable is sent to a server without TLS', async () => {
  await using plain = await PlainServer.start('-ERR speak up\r\n');
  const outcome = await connectionOf(client, `rediss://ada:s3cret@127.0.0.1:${plain.port}`, (await ours).cert);
  expect(outcome).not.toContain(connected);
  expect(plain.received.startsWith(tlsHandshake)).toBe(true);
  expect(plain.received).not.toMatch(/ada|s3cret|AUTH|INFO/);
});
