import { agency } from '../../harness/agency.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { abuses, endlessBody, type Refusal, refused, slowRequest, type Target } from './abuses.ts';
import { Memory } from './memory.ts';
import { OtherAgency } from './other-agency.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';

const unlimited = 1_000_000;
const refusedWithinMs = 1000;
/** headersTimeout and requestTimeout of the gateway, and the interval at which it looks. */
const slowHeadWithinMs = 36_000;
const slowBodyWithinMs = 66_000;
const cutOffWithinMs = 5000;
const mostGrowthMb = 100;
const warmUps = 200;

interface Counts {
  readonly slowHeads: number;
  readonly slowBodies: number;
  readonly endlessBodies: number;
  /** How often each of the quick ones is tried. */
  readonly rounds: number;
  /** Comes on top of each deadline, where the machine may be of any speed; default none. */
  readonly patienceMs?: number;
  readonly seed?: number;
}

/** Promise 8: abuse is refused in time, takes a bounded amount of memory, and others are served meanwhile. */
export async function keepAbuseLocal(platform: TestPlatform, counts: Counts): Promise<Outcome> {
  const { slowHeads, slowBodies, endlessBodies, rounds, patienceMs = 0, seed = chooseSeed() } = counts;
  const findings = new Findings();
  const [abuser, other] = [await agency(platform.facts, { rateLimit: unlimited }), await agency(platform.facts, { rateLimit: unlimited })];
  const target = { origin: platform.facts.origins[0] ?? '', key: abuser.api.key ?? '' };
  const others = new OtherAgency(other.api, findings);
  for (let each = 0; each < warmUps; each++) await others.request();
  const beforeMs = others.p99Ms;
  for (const abuse of abuses) await refused(target, abuse);
  const memory = new Memory(platform.pid('gateway') ?? 0);
  const [serving, watching] = [others.serve(), memory.watch()];
  const check = (what: string, status: number, withinMs: number) => (refusal: Refusal) =>
    findings.check(
      refusal.status === status && refusal.afterMs <= withinMs + patienceMs,
      `${what}: ${refusal.status} after ${Math.round(refusal.afterMs)} ms`,
    );
  const many = <T>(count: number, abuse: () => Promise<T>) => Promise.all(Array.from({ length: count }, abuse));
  const slow = [
    many(slowHeads, () => slowRequest(target, 'head').then(check('a head a byte a second', 408, slowHeadWithinMs))),
    many(slowBodies, () => slowRequest(target, 'body').then(check('a body a byte a second', 408, slowBodyWithinMs))),
  ];
  await many(endlessBodies, () =>
    endless(target, check('a body without end', 413, refusedWithinMs), findings, cutOffWithinMs + patienceMs),
  );
  for (let round = 0; round < rounds; round++) {
    for (const abuse of abuses) check(abuse.name, abuse.status, refusedWithinMs)(await refused(target, abuse));
  }
  await Promise.all(slow);
  others.stop();
  memory.stop();
  await Promise.all([serving, watching]);
  findings.check(memory.growthMb <= mostGrowthMb, `the gateway has grown by ${memory.growthMb} MB`);
  const tries = slowHeads + slowBodies + endlessBodies + rounds * abuses.length;
  const figure = `gateway +${memory.growthMb} MB; ${others.served} requests of others served, p99 ${others.p99Ms} ms, before ${beforeMs} ms`;
  return { seed, tries, figure, failures: findings.failures };
}

async function endless(target: Target, check: (refusal: Refusal) => void, findings: Findings, withinMs: number): Promise<void> {
  const refusal = await endlessBody(target);
  check(refusal);
  findings.check(refusal.cutOffMs <= withinMs, `a body without end was listened to for ${Math.round(refusal.cutOffMs)} ms`);
}
