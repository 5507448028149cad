import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { makeProject } from '../../../contract/fixtures.ts';
import { type Agency, agency, eventually } from '../../../harness/agency.ts';
import { embedPair, openEmbedSession } from '../../../harness/embed-session.ts';
import { owner } from '../../../harness/person.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';
import { compareEvents, compareRecords } from '../records/compare-records.ts';
import { type DemoConsumer, startDemoConsumer } from '../records/demo-consumer.ts';
import { Writers } from '../records/writers.ts';
import { anyRequest, makeLoadTargets } from './mixed-load.ts';
import { ReadyGateways } from './ready-gateways.ts';
import { type LoadRequest, SteadyLoad } from './steady-load.ts';

/** More than a socket takes at once: a connection to the database may break while it is written. */
const largePage = `<h1>${'Bakery '.repeat(50_000)}</h1>`;
/** What no part that is away may cause: a defect's answer, or one that does not say when to come back. */
const wrong = /^500|internal|without Retry-After/;

/** Programs, agents, visitors and users of an agency's product, who call while parts of the platform are disturbed. */
class OtherCallers {
  readonly #gateways: ReadyGateways;
  readonly #load: SteadyLoad;

  private constructor(gateways: ReadyGateways, load: SteadyLoad) {
    this.#gateways = gateways;
    this.#load = load;
  }

  static async start(platform: TestPlatform, random: Random, perSecond: number): Promise<OtherCallers> {
    const { api } = await agency(platform.facts, { rateLimit: 1_000_000 });
    const next = await requestsOf(platform, api, random);
    const gateways = new ReadyGateways(platform);
    return new OtherCallers(gateways, new SteadyLoad(gateways, { key: api.key ?? '', perSecond, next }));
  }

  /** Ends the calls. Every answer must be one that its caller can do something about. */
  async finish(findings: Findings): Promise<void> {
    await this.#load.finish();
    await this.#gateways[Symbol.asyncDispose]();
    for (const { request, outcome } of this.#load.samples) findings.check(!wrong.test(String(outcome)), `${request}: ${outcome}`);
  }
}

/** The requests of every interface: REST, sites, MCP and the embedded builder. */
async function requestsOf(platform: TestPlatform, api: Agency['api'], random: Random): Promise<() => LoadRequest> {
  const targets = await makeLoadTargets(api);
  const project = await makeProject(api);
  const pair = await embedPair(await owner({ platform: platform.facts }));
  const session = await openEmbedSession(pair, {}, {}, platform.facts);
  const chat = `/projects/${session.project.id}/chat`;
  const asUser = () => ({ authorization: `Bearer ${session.token}`, 'idempotency-key': randomUUID() });
  const requests: (() => LoadRequest)[] = [
    () => anyRequest(random, targets),
    () => ({ method: 'POST', path: `/projects/${project.id}/publish`, body: { builtFiles: { 'index.html': largePage + randomUUID() } } }),
    () => toolCall('list_plans', {}),
    () => toolCall('create_client', { email: `${randomUUID()}@example.test`, idempotency_key: randomUUID() }),
    () => ({ method: 'POST', path: '/api/embed/session', body: { ...pair, user_id: randomUUID() } }),
    () => ({ method: 'POST', path: chat, body: { message: 'Build a page for my bakery.' }, headers: asUser() }),
    () => ({ method: 'GET', path: `${chat}/messages`, headers: asUser() }),
    () => ({ method: 'GET', path: `${chat}/stream`, headers: { ...asUser(), 'last-event-id': '1' } }),
  ];
  return () => (requests[random.integerUpTo(requests.length - 1)] as () => LoadRequest)();
}

const toolCall = (name: string, given: object): LoadRequest => ({
  method: 'POST',
  path: '/api/mcp',
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
});

const allParts = ['identity', 'clients-plans', 'projects-templates', 'embed', 'mcp', 'gateway', 'nats', 'redis', 'mongodb'];
const settleTimeoutMs = 150_000;
/** Allowance for a slow machine, in durations of one undisturbed story. */
const slack = 10;
const maxWorkMs = 80;

interface Counts {
  readonly rounds: number;
  /** The parts that are disturbed; by default all. */
  readonly parts?: readonly string[];
  /** More than the machine can do would only make the effects of events late. */
  readonly writesPerSecond?: number;
  /** Stories started just before each fault, so that it always hits running work. Default 20. */
  readonly storiesInFlight?: number;
  /** Requests of other callers beside the writes. */
  readonly othersPerSecond?: number;
  /** Added to that of the baseline; default: as long as it takes. */
  readonly maxRecoveryMs?: number;
  readonly seed?: number;
}

/** Resolves when the part runs again, with the time (monotonic, ms) from which its recovery is measured. */
type Disturb = (platform: TestPlatform, part: string) => Promise<number>;

/** kill -9. The platform's supervisor restarts the part. */
export const kill: Disturb = async (platform, part) => {
  const since = performance.now();
  await platform.replace(part, 'SIGKILL');
  return since;
};

/** SIGSTOP, then SIGCONT after `ms`. */
export const pauseFor =
  (ms: number): Disturb =>
  async (platform, part) => {
    platform.signal(part, 'SIGSTOP');
    await pause(ms);
    platform.signal(part, 'SIGCONT');
    return performance.now();
  };

/**
 * Disturbs each part in turn while an agency writes, `rounds` times. Then every acknowledged write must be stored and
 * published once, and no caller of any interface may have been answered 500, or 503 without Retry-After.
 */
export async function keepAcknowledgedWrites(
  platform: TestPlatform,
  disturb: Disturb,
  {
    rounds,
    parts = allParts,
    writesPerSecond = 50,
    storiesInFlight = 20,
    othersPerSecond = 10,
    maxRecoveryMs = Number.POSITIVE_INFINITY,
    seed = chooseSeed(),
  }: Counts,
): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  const { api, organization } = await agency(platform.facts);
  await using consumer = await startDemoConsumer(platform.facts);
  const writers = new Writers(api, writesPerSecond);
  const others = await OtherCallers.start(platform, random, othersPerSecond);
  writers.start();
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    for (const part of parts) {
      const baselineMs = await timeToWork(writers, consumer, organization.id);
      writers.begin(storiesInFlight);
      await pause(random.integerUpTo(maxWorkMs));
      const since = await disturb(platform, part);
      // Process start and story duration depend on the machine, so the bound grows with the baseline.
      const backMs = await timeToWork(writers, consumer, organization.id);
      findings.check(
        backMs <= maxRecoveryMs + slack * baselineMs,
        `${part} recovered after ${Math.round(backMs)} ms, baseline ${Math.round(baselineMs)} ms`,
      );
      slowestMs = Math.max(slowestMs, performance.now() - since);
    }
  }
  await Promise.all([writers.finish(), others.finish(findings)]);
  for (const failure of writers.failures) findings.check(false, failure);
  await compareRecords(api, writers.acknowledged, findings);
  await compareEvents({ natsUrl: platform.facts.urls.NATS_URL, organization, consumer, acknowledged: writers.acknowledged }, findings);
  const figure = `${writers.writes} writes acknowledged; slowest recovery ${(slowestMs / 1000).toFixed(1)} s`;
  return { seed, tries: rounds * parts.length, figure, failures: findings.failures };
}

/** Writes one story and resolves when its event had its effect, with the ms that took. */
async function timeToWork(writers: Writers, consumer: DemoConsumer, org_id: string): Promise<number> {
  const since = performance.now();
  const story = await writers.story();
  await eventually(async () => {
    if (story && !(await consumer.hasEffectFor(org_id, story.project.id))) throw new Error('an event has had no effect yet');
  }, settleTimeoutMs);
  return performance.now() - since;
}
