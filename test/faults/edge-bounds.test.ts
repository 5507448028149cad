import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { formatApiKey } from '@webkiln/contract';
import { makeProject } from '../contract/fixtures.ts';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { expectHeld, faultTimeoutMs } from './expect-held.ts';
import { refuseForbiddenAddresses, settingsIn } from './runs/webhooks/forbidden-addresses.ts';
import { HostileNetwork } from './runs/webhooks/hostile-network.ts';

jest.setTimeout(faultTimeoutMs);

const concurrency = 4;
const mb = 1024 * 1024;
const stranger = '127.0.0.67';

let platform: TestPlatform;
let network: HostileNetwork;
let [one, other] = [undefined, undefined] as unknown as [Agency, Agency];
beforeAll(async () => {
  network = await HostileNetwork.start();
  // However slow the machine is, the requests that are counted are in one window, and Redis counts them all.
  const oneWindow = { RATE_WINDOW_MS: '3600000', REDIS_TIMEOUT_MS: '60000' };
  platform = await startPlatform({ env: { ...settingsIn(network), ...oneWindow, CREDENTIAL_CONCURRENCY: String(concurrency) } });
  [one, other] = await Promise.all([agency(platform.facts), agency(platform.facts)]);
});
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]();
  await network?.[Symbol.asyncDispose]();
});

interface Sent {
  readonly path?: string | undefined;
  readonly key: string | undefined;
  readonly method?: string;
  readonly length?: number;
  readonly localAddress?: string;
}

function open({ key, method = 'GET', path = '/api/v1/plans', length, localAddress = '127.0.0.1' }: Sent): ClientRequest {
  const { port } = new URL(platform.facts.origins[0] ?? '');
  const body = length === undefined ? {} : { 'content-type': 'application/json', 'content-length': length };
  const headers = { authorization: `Bearer ${key}`, ...body };
  return request({ host: '127.0.0.1', port, path, method, headers, localAddress, agent: false }).on('error', () => undefined);
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; code: string; retryAfter: string | undefined }> {
  const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
  const { code } = JSON.parse((await response.setEncoding('utf8').toArray()).join(''));
  return { status: response.statusCode, code, retryAfter: response.headers['retry-after'] };
}

const lookups = () => platform.counterSum('identity', /^rpc_server_duration_seconds_count\{.*VerifyKeys/);

test('slow requests of one credential hold its own slots only: its next request gets 429 with Retry-After, others are served', async () => {
  const slow = Array.from({ length: concurrency }, () => open({ key: one.api.key, method: 'POST', length: 100 }));
  for (const post of slow) post.write('{');
  await eventually(async () => {
    expect(await platform.counterSum('gateway', /^webkiln_gateway_in_flight\{bound="api"/)).toBe(concurrency);
  });
  expect(await answerOf(open({ key: one.api.key }))).toEqual({ status: 429, code: 'too_many_in_flight', retryAfter: '1' });
  (await other.api.get('/plans')).expect(200);
  for (const post of slow) post.destroy();
  await eventually(async () => void (await one.api.get('/plans')).expect(200));
});

test('more requests at once than a credential has slots wait for their turn and are all served', async () => {
  const { api } = await agency(platform.facts);
  const answers = await Promise.all(Array.from({ length: concurrency * 3 }, () => api.get('/plans')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('unknown keys of a network over its limit cost no lookup; known keys of the same network and others are served', async () => {
  const known = { key: one.api.key, localAddress: stranger };
  expect((await answerOf(open(known))).status).toBe(200);
  const before = await lookups();
  const statuses = [];
  for (let each = 0; each < 300; each++) {
    const sent = open({ key: formatApiKey(randomBytes(32)), localAddress: stranger });
    statuses.push((await answerOf(sent)).status);
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(200);
  expect((await lookups()) - before).toBeLessThanOrEqual(118);
  expect((await answerOf(open(known))).status).toBe(200);
  const { api } = await agency(platform.facts);
  (await api.get('/plans')).expect(200);
});

test('two trickling uploads of 35 MB stop nobody else from publishing a large site', async () => {
  const projects = await Promise.all([one, other].map(({ api }) => makeProject(api, undefined, { name: 'Large' })));
  const [trickled, published] = projects.map(({ id }) => `/api/v1/projects/${id}/publish`);
  const slow = [1, 2].map(() => open({ key: one.api.key, method: 'POST', path: trickled, length: 35 * mb }));
  for (const post of slow) post.write('{"builtFiles":');
  const builtFiles = { 'index.html': 'large', 'data.txt': 'x'.repeat(5 * mb) };
  const body = JSON.stringify({ builtFiles });
  const publish = open({ key: other.api.key, method: 'POST', path: published, length: Buffer.byteLength(body) });
  publish.write(body);
  expect((await answerOf(publish)).status).toBe(200);
  for (const post of slow) {
    expect(post.writableFinished).toBe(false);
    post.destroy();
  }
});

test('four publishes of 20 MB of one organization leave a place to the publish of another', async () => {
  const keys = await Promise.all(Array.from({ length: 4 }, () => one.makeKey(['read', 'write'])));
  const [large, small] = [20, 2].map((size) => ({
    builtFiles: { 'index.html': 'a', 'a.txt': randomBytes((size * mb * 3) / 4).toString('base64') },
  }));
  const projects = await Promise.all([...keys.map(() => makeProject(one.api)), makeProject(other.api)]);
  let answered = 0;
  // The first one takes as long as the others need to wait behind it.
  platform.signal('projects-templates', 'SIGSTOP');
  const publishes = keys.map(async ({ api }, at) => {
    const { status } = await api.post(`/projects/${projects[at]?.id}/publish`, large);
    answered++;
    return status;
  });
  await eventually(async () => {
    expect(await platform.counterSum('gateway', /^webkiln_gateway_waiting\{bound="large bodies"/)).toBe(3);
  }).finally(() => platform.signal('projects-templates', 'SIGCONT'));
  (await other.api.post(`/projects/${projects.at(-1)?.id}/publish`, small)).expect(200);
  expect(answered).toBeLessThan(3);
  // A slow machine may let the last ones wait for too long.
  for (const status of await Promise.all(publishes)) expect([200, 429]).toContain(status);
});

test('no webhook reaches an internal address, in any spelling, at create, patch, test or send', async () => {
  expectHeld(await refuseForbiddenAddresses(platform, network));
});
