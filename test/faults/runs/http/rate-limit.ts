import { setTimeout as pause } from 'node:timers/promises';
import { agency } from '../../../harness/agency.ts';
import { Api, type ApiResponse } from '../../../harness/api.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';

const quota = 100;
const requestsPerWindow = 1000;

/** Waits for a slow Redis, so that the local fallback limiter never takes over. */
export const exactLimitSettings = { REDIS_TIMEOUT_MS: '60000' };

interface Counts {
  readonly windows: number;
  readonly windowMs: number;
  readonly seed?: number;
}

/** A request with its times of sending and answering (monotonic, ms). The limiter decided in between. */
interface Timed {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: ApiResponse;
}

/** Sends 1,000 requests per window with one key over all gateways, in bursts and singly, and checks the limit. */
export async function enforceRateLimit({ facts }: TestPlatform, { windows, windowMs, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  const { api } = await agency(facts);
  const gateways = facts.origins.map((origin) => new Api(`${origin}/api/v1`, api.key));
  const requests: Promise<Timed>[] = [];
  for (const gateway of gateways) requests.push(Promise.resolve(await firstCountedRequest(gateway)));
  const send = (count: number) => {
    for (let each = 0; each < count; each++) requests.push(timed(gateways[requests.length % gateways.length] as Api));
  };
  // The first burst uses the whole quota. The load continues past the end of the last window.
  send(2 * quota);
  const begin = performance.now();
  const end = begin + (windows + 0.1) * windowMs;
  const meanBurst = 10;
  while (performance.now() < end) {
    await pause((random.next() * 2 * meanBurst * windowMs) / requestsPerWindow);
    send(random.integerUpTo(2 * meanBurst));
  }
  const answered = await Promise.all(requests);
  for (const { answer } of answered) checkHeaders(answer, windowMs / 1000, findings);
  // On a slow machine a service may time out on a request that the limiter let through: 503.
  const accepted = answered.filter(({ answer }) => answer.status !== 429);
  const largest = largestWindow(accepted, windowMs);
  findings.check(largest <= quota, `${largest} requests passed within ${windowMs} ms`);
  const refused = answered.filter(({ answer }) => answer.status === 429);
  const early = refused.filter((refusal) => !mayBeFull(accepted, refusal, windowMs)).length;
  findings.check(early === 0, `${early} of ${refused.length} requests were refused before ${quota} had passed in their window`);
  const figure = `${accepted.length} passed in ${windows} windows of ${windowMs / 1000} s over ${gateways.length} gateways, never more than ${largest} in one`;
  return { seed, tries: requests.length, figure, failures: findings.failures };
}

async function timed(api: Api): Promise<Timed> {
  const sentAt = performance.now();
  const answer = await api.get('/plans');
  return { sentAt, answeredAt: performance.now(), answer };
}

/**
 * Repeats until a request is counted for the key. While a gateway cannot look up the key it answers 503 and counts the
 * address.
 */
export async function firstCountedRequest(api: Api): Promise<Timed> {
  for (;;) {
    const request = await timed(api);
    if (request.answer.status !== 503) return request;
  }
}

/** The largest number of requests that certainly passed within one window: both sent and answered in it. */
function largestWindow(accepted: readonly Timed[], windowMs: number): number {
  const counts = accepted.map(
    (first) => accepted.filter(({ sentAt, answeredAt }) => sentAt >= first.sentAt && answeredAt < first.sentAt + windowMs).length,
  );
  return Math.max(0, ...counts);
}

/**
 * True if the quota may have been used up in the window before this refusal. The exact time of each decision is
 * unknown: it lies between sending and answering.
 */
function mayBeFull(accepted: readonly Timed[], refusal: Timed, windowMs: number): boolean {
  const before = accepted.filter(({ sentAt, answeredAt }) => sentAt < refusal.answeredAt && answeredAt > refusal.sentAt - windowMs);
  return before.length >= quota;
}

function checkHeaders({ status, headers }: ApiResponse, windowSeconds: number, findings: Findings): void {
  const [, remaining, reset] = /^"v1";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  const checks = [
    headers.get('ratelimit-policy') === `"v1";q=${quota};w=${windowSeconds}`,
    headers.get('x-ratelimit-limit') === String(quota),
    headers.get('x-ratelimit-remaining') === remaining,
    headers.get('x-ratelimit-reset') === reset,
    Number(reset) >= 0 && Number(reset) <= windowSeconds,
    status === 429 ? remaining === '0' && headers.get('retry-after') === reset : Number(remaining) < quota,
    status === 200 || status === 429 || status === 503,
  ];
  findings.check(!checks.includes(false), `${status} with ${JSON.stringify(Object.fromEntries(headers))}: ${checks.join()}`);
}
