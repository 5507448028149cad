import { setTimeout as pause } from 'node:timers/promises';
import { agency } from '../../../harness/agency.ts';
import type { Api } from '../../../harness/api.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { abuses, endlessBody, type Refusal, refused, slowRequest, type Target } from './abuses.ts';
import { Memory } from './memory.ts';

const intervalMs = 20;

/** A well-behaved agency that calls the API while others abuse it. */
class OtherAgency {
  readonly #api: Api;
  readonly #findings: Findings;
  readonly #times: number[] = [];
  #stopped = false;

  constructor(api: Api, findings: Findings) {
    this.#api = api;
    this.#findings = findings;
  }

  async serve(): Promise<void> {
    this.#times.length = 0;
    while (!this.#stopped) {
      await this.request();
      await pause(intervalMs);
    }
  }

  async request(): Promise<void> {
    const since = performance.now();
    const { status } =
      this.#times.length % 2 === 0 ? await this.#api.get('/plans?limit=10') : await this.#api.post('/plans', { name: 'Care', price: 1 });
    this.#times.push(performance.now() - since);
    this.#findings.check(status < 300, `another agency was answered ${status}`);
  }

  stop(): void {
    this.#stopped = true;
  }

  get served(): number {
    return this.#times.length;
  }

  get p99Ms(): number {
    return Math.round(this.#times.toSorted((a, b) => a - b)[Math.floor(this.#times.length * 0.99)] ?? 0);
  }
}

const unlimited = 1_000_000;
const maxRefusalMs = 1000;
/** The gateway's headersTimeout and STALL_TIMEOUT_MS, plus the interval at which they are checked. */
const maxSlowHeadMs = 36_000;
const maxSlowBodyMs = 26_000;
/** A credential has few requests in flight; more wait for a moment. */
const tooManyInFlight = 429;
const maxCutOffMs = 5000;
const maxGrowthMb = 100;
const warmUps = 200;

interface Counts {
  readonly slowHeads: number;
  readonly slowBodies: number;
  readonly endlessBodies: number;
  /** How often each of the quick abuses is sent. */
  readonly rounds: number;
  /** Added to each deadline, for machines of unknown speed. Default 0. */
  readonly extraMs?: number;
  readonly seed?: number;
}

/** Abuses one gateway. Each abuse must be refused in time and in bounded memory while another agency is served. */
export async function containAbuse(platform: TestPlatform, counts: Counts): Promise<Outcome> {
  const { slowHeads, slowBodies, endlessBodies, rounds, extraMs = 0, seed = chooseSeed() } = counts;
  const findings = new Findings();
  const [abuser, other] = [await agency(platform.facts, { rateLimit: unlimited }), await agency(platform.facts, { rateLimit: unlimited })];
  const target = { origin: platform.facts.origins[0] ?? '', key: abuser.api.key ?? '' };
  const others = new OtherAgency(other.api, findings);
  for (let each = 0; each < warmUps; each++) await others.request();
  const beforeMs = others.p99Ms;
  for (const abuse of abuses) await refused(target, abuse);
  const memory = new Memory(platform.pid('gateway') ?? 0);
  const [serving, watching] = [others.serve(), memory.watch()];
  const check =
    (what: string, status: number, maxMs: number, otherStatus = status) =>
    (refusal: Refusal) =>
      findings.check(
        (refusal.status === status || refusal.status === otherStatus) && refusal.afterMs <= maxMs + extraMs,
        `${what}: ${refusal.status} after ${Math.round(refusal.afterMs)} ms`,
      );
  const repeat = <T>(count: number, abuse: () => Promise<T>) => Promise.all(Array.from({ length: count }, abuse));
  const slow = [
    repeat(slowHeads, () => slowRequest(target, 'head').then(check('a head at one byte per second', 408, maxSlowHeadMs))),
    repeat(slowBodies, () => slowRequest(target, 'body').then(check('a body at one byte per second', 408, maxSlowBodyMs, tooManyInFlight))),
  ];
  await repeat(endlessBodies, () => sendEndlessBody(target, check('an endless body', 413, maxRefusalMs), findings, maxCutOffMs + extraMs));
  for (let round = 0; round < rounds; round++) {
    for (const abuse of abuses) check(abuse.name, abuse.status, maxRefusalMs)(await refused(target, abuse));
  }
  await Promise.all(slow);
  others.stop();
  memory.stop();
  await Promise.all([serving, watching]);
  findings.check(memory.growthMb <= maxGrowthMb, `the gateway has grown by ${memory.growthMb} MB`);
  const tries = slowHeads + slowBodies + endlessBodies + rounds * abuses.length;
  const figure = `gateway +${memory.growthMb} MB; ${others.served} other requests served, p99 ${others.p99Ms} ms, ${beforeMs} ms before`;
  return { seed, tries, figure, failures: findings.failures };
}

async function sendEndlessBody(target: Target, check: (refusal: Refusal) => void, findings: Findings, maxMs: number): Promise<void> {
  const refusal = await endlessBody(target);
  check(refusal);
  findings.check(refusal.cutOffMs <= maxMs, `an endless body was read for ${Math.round(refusal.cutOffMs)} ms`);
}
