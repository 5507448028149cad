import { setTimeout as pause } from 'node:timers/promises';
import { agency } from '../../harness/agency.ts';
import { type Answer, Api } from '../../harness/api.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { Random } from './random.ts';

const quota = 100;
const requestsPerWindow = 1000;

/** Redis may take its time: this is about the exact limit, not about the one while Redis is away. */
export const exactLimit = { REDIS_TIMEOUT_MS: '60000' };

interface Counts {
  readonly windows: number;
  readonly windowMs: number;
  readonly seed?: number;
}

/** When a request went out and when its answer came, monotonic, in ms: the limiter decided in between. */
interface Timed {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly answer: Answer;
}

/** Promise 4: one key, 1,000 requests a window over all gateways, in bursts and one by one. */
export async function neverOverTheLimit({ facts }: TestPlatform, { windows, windowMs, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  const { api } = await agency(facts);
  const doors = facts.origins.map((origin) => new Api(`${origin}/api/v1`, api.key));
  const requests: Promise<Timed>[] = [];
  for (const door of doors) requests.push(Promise.resolve(await introduced(door)));
  const send = (count: number) => {
    for (let each = 0; each < count; each++) requests.push(timed(doors[requests.length % doors.length] as Api));
  };
  // A first burst at once shows each place of the quota; the rest goes on past the last window's edge.
  send(2 * quota);
  const begin = performance.now();
  const end = begin + (windows + 0.1) * windowMs;
  const meanBurst = 10;
  while (performance.now() < end) {
    await pause((random.next() * 2 * meanBurst * windowMs) / requestsPerWindow);
    send(random.upTo(2 * meanBurst));
  }
  const answered = await Promise.all(requests);
  for (const { answer } of answered) checkHeaders(answer, windowMs / 1000, findings);
  // On a machine that is short of time a service may be too late for what the limiter has let through: 503.
  const accepted = answered.filter(({ answer }) => answer.status !== 429);
  const most = mostWithin(accepted, windowMs);
  findings.check(most <= quota, `${most} requests passed within ${windowMs} ms`);
  const refused = answered.filter(({ answer }) => answer.status === 429);
  const early = refused.filter((refusal) => !mayBeFull(accepted, refusal, windowMs)).length;
  findings.check(early === 0, `${early} of ${refused.length} requests were refused before ${quota} had passed in their window`);
  const figure = `${accepted.length} passed in ${windows} windows of ${windowMs / 1000} s over ${doors.length} gateways, never more than ${most} in one`;
  return { seed, tries: requests.length, figure, failures: findings.failures };
}

async function timed(api: Api): Promise<Timed> {
  const sentAt = performance.now();
  const answer = await api.get('/plans');
  return { sentAt, answeredAt: performance.now(), answer };
}

/** The first request that is counted by its key: while a gateway cannot ask whose key it is, it answers 503 and counts the address. */
export async function introduced(api: Api): Promise<Timed> {
  for (;;) {
    const request = await timed(api);
    if (request.answer.status !== 503) return request;
  }
}

/** The most requests of which it is certain that they were let through within less than a window: sent and answered in it. */
function mostWithin(accepted: readonly Timed[], windowMs: number): number {
  const counts = accepted.map(
    (first) => accepted.filter(({ sentAt, answeredAt }) => sentAt >= first.sentAt && answeredAt < first.sentAt + windowMs).length,
  );
  return Math.max(0, ...counts);
}

/** Whether so many may have passed in the window before a refusal: more cannot be known, since both were decided between asking and answering. */
function mayBeFull(accepted: readonly Timed[], refusal: Timed, windowMs: number): boolean {
  const before = accepted.filter(({ sentAt, answeredAt }) => sentAt < refusal.answeredAt && answeredAt > refusal.sentAt - windowMs);
  return before.length >= quota;
}

function checkHeaders({ status, headers }: Answer, windowSeconds: number, findings: Findings): void {
  const [, remaining, reset] = /^"v1";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  const told = [
    headers.get('ratelimit-policy') === `"v1";q=${quota};w=${windowSeconds}`,
    headers.get('x-ratelimit-limit') === String(quota),
    headers.get('x-ratelimit-remaining') === remaining,
    headers.get('x-ratelimit-reset') === reset,
    Number(reset) >= 0 && Number(reset) <= windowSeconds,
    status === 429 ? remaining === '0' && headers.get('retry-after') === reset : Number(remaining) < quota,
    status === 200 || status === 429 || status === 503,
  ];
  findings.check(!told.includes(false), `${status} with ${JSON.stringify(Object.fromEntries(headers))}: ${told.join()}`);
}
