import { randomUUID } from 'node:crypto';
import { makeProject } from '../../../contract/fixtures.ts';
import { type Agency, agency } from '../../../harness/agency.ts';
import { embedPair, openEmbedSession } from '../../../harness/embed-session.ts';
import { owner } from '../../../harness/person.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import type { Findings } from '../outcome.ts';
import type { Random } from '../random.ts';
import { anyRequest, makeLoadTargets } from './mixed-load.ts';
import { ReadyGateways } from './ready-gateways.ts';
import { type LoadRequest, SteadyLoad } from './steady-load.ts';

/** More than a socket takes at once: a connection to the database may break while it is written. */
const largePage = `<h1>${'Bakery '.repeat(50_000)}</h1>`;
/** What no part that is away may cause: a defect's answer, or one that does not say when to come back. */
const wrong = /^500|internal|without Retry-After/;

/** Programs, agents, visitors and users of an agency's product, who call while parts of the platform are disturbed. */
export class OtherCallers {
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
