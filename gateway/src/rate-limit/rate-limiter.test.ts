import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { RateLimiter } from './rate-limit.ts';

const quota = 20;
/** Longer than any machine needs for what is to happen within one. */
const longWindowMs = 600_000;
const redisTimeoutMs = 60_000;
const shortWindowMs = 1000;
const limiters: RateLimiter[] = [];

/** One limiter as one gateway has it, connected. */
async function limiter({ redisUrl = process.env.REDIS_URL ?? '', replicas = 1, windowMs = longWindowMs } = {}): Promise<RateLimiter> {
  const made = new RateLimiter({ redisUrl, redisTimeoutMs, windowMs, replicas: () => replicas });
  limiters.push(made);
  if (redisUrl === process.env.REDIS_URL) await new Promise((resolve) => made.redis.once('ready', resolve));
  return made;
}

afterAll(() => Promise.all(limiters.map((made) => made.close())));

test('three gateways together accept exactly the quota of a window', async () => {
  const gateways = await Promise.all([limiter(), limiter(), limiter()]);
  const credential = randomUUID();
  const standings = await Promise.all(Array.from({ length: 90 }, (_, turn) => (gateways[turn % 3] as RateLimiter).take(credential, quota)));
  expect(standings.filter(({ allowed }) => allowed)).toHaveLength(quota);
});

test('no window anywhere holds more than the quota, and each is used in full', async () => {
  const gateways = await Promise.all(Array.from({ length: 3 }, () => limiter({ windowMs: shortWindowMs })));
  const credential = randomUUID();
  const [asked, answered]: [number[], number[]] = [[], []];
  const hammer = async (gateway: RateLimiter) => {
    while (answered.length < 4 * quota) {
      const askedAt = performance.now();
      if ((await gateway.take(credential, quota)).allowed) {
        asked.push(askedAt);
        answered.push(performance.now());
      }
      await nextTurn();
    }
  };
  await Promise.all(gateways.flatMap((gateway) => [hammer(gateway), hammer(gateway)]));
  const [from, to] = [asked, answered].map((times) => times.sort((a, b) => a - b)) as [number[], number[]];
  // Redis counts each between asking and answering: the first of more than a quota is never asked less than a window before the last is answered.
  for (let first = 0; first + quota < to.length; first++) {
    expect((to[first + quota] as number) - (from[first] as number)).toBeGreaterThanOrEqual(shortWindowMs);
  }
});

test('after the time that a refusal names, and not before, one request passes', async () => {
  const gateway = await limiter({ windowMs: shortWindowMs });
  const credential = randomUUID();
  const since = performance.now();
  let standing = await gateway.take(credential, quota);
  // A quota that is asked for at once fits into a window; where the machine takes longer than one for that, the next round does.
  while (standing.allowed)
    standing = (await Promise.all(Array.from({ length: 2 * quota }, () => gateway.take(credential, quota)))).at(-1) ?? standing;
  expect(standing).toMatchObject({ allowed: false, remaining: 0 });
  expect(standing.resetMs).toBeLessThanOrEqual(shortWindowMs);
  expect(performance.now() - since + standing.resetMs).toBeGreaterThanOrEqual(shortWindowMs);
  await pause(standing.resetMs + 2);
  expect((await gateway.take(credential, quota)).allowed).toBe(true);
});

test('a refused request is not counted, by this gateway nor by another', async () => {
  const [gateway, other] = await Promise.all([limiter(), limiter()]);
  const credential = randomUUID();
  for (let turn = 0; turn < quota; turn++) await gateway.take(credential, quota);
  for (let turn = 0; turn < 5; turn++) await Promise.all([gateway.take(credential, quota), other.take(credential, quota)]);
  expect(await gateway.redis.llen(`rate:${credential}`)).toBe(quota);
});

test('the standing counts down and names the oldest request', async () => {
  const gateway = await limiter();
  const credential = randomUUID();
  const first = await gateway.take(credential, quota);
  expect(first).toMatchObject({ allowed: true, remaining: quota - 1, limit: quota });
  expect(first.resetMs).toBeLessThanOrEqual(longWindowMs);
  const looked = await gateway.look(credential, quota);
  expect(looked.remaining).toBe(quota - 1);
  expect((await gateway.take(credential, quota)).remaining).toBe(quota - 2);
});

test('one credential leaves the quota of another alone', async () => {
  const gateway = await limiter();
  const credential = randomUUID();
  for (let turn = 0; turn < quota; turn++) await gateway.take(credential, quota);
  expect((await gateway.take(randomUUID(), quota)).remaining).toBe(quota - 1);
});

test('without Redis each gateway accepts its share of the quota, at least one', async () => {
  const closed = 'redis://127.0.0.1:9';
  const credential = randomUUID();
  const accepted = async (replicas: number, of: number) => {
    const gateway = await limiter({ redisUrl: closed, replicas });
    const standings = await Promise.all(Array.from({ length: 2 * of }, () => gateway.take(credential, of)));
    return standings.filter(({ allowed }) => allowed).length;
  };
  expect(await accepted(3, quota)).toBe(6);
  expect(await accepted(5, 3)).toBe(1);
});
