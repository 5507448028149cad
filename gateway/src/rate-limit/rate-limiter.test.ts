import { randomUUID } from 'node:crypto';
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';
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
