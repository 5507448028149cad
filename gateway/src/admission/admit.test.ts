import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError, apiKeyDigest, embedSecretTexts, formatApiKey, languages, sessionCookie, sessionTokenDigest } from '@webkiln/contract';
import { closeEvents, connectEvents } from '@webkiln/events/listening';
import { addressSetting, httpAddressSetting, httpServiceNames, rpcPeersOf, type ServiceName } from '@webkiln/messages';
import { peerState } from '@webkiln/rpc';
import { connectTo, keys, type Runs, startReplica, trustingVerifier, until, useCasesOf } from '@webkiln/rpc/testing';
import { GatewayConfig } from '../config.ts';
import { createHandlers } from '../handlers.ts';
import { closeServers, listening } from '../testing/listening.ts';
import { type AdmissionStep, admissionSteps } from './admit.ts';
import { openRateLimiter } from './rate-limiter.ts';

/** A caller, as identity knows it. */
interface Caller {
  readonly org_id: string;
  readonly permissions: string[];
  readonly role: string;
  readonly suspended: boolean;
  /** Requests per window: of the credential, and of its organization. */
  readonly rate_limit?: number;
  readonly requests_limit?: number;
  /** A client who joined by a link. */
  readonly joined_by_link?: boolean;
}

/** A request's faults. */
interface Wrong {
  readonly caller?: Partial<Caller>;
  /** Identity does not know the caller. */
  readonly isUnknown?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
}

/** A request of a caller to one of the handlers. */
interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** How a request makes a step refuse; a bound, which a test of its own uses up; or why nothing shows the step. */
type Case =
  | { readonly wrong: Wrong; readonly status: number; readonly code: string }
  | { readonly bound: true }
  | { readonly notShown: string };

interface Handler {
  /** A request of a new caller. */
  readonly ask: (wrong: Wrong) => Sent;
  /** The answer once it is admitted. */
  readonly admitted: number;
  readonly steps: Readonly<Record<AdmissionStep, Case>>;
}

const origin = 'http://app.test';
/** Requests that a network may send without a valid credential. */
const quota = 5;
/** More than one organization may write at once. */
const concurrency = 32;

const callers = new Map<string, Caller>();
/** The calls that reached a service, by organization. */
const reached: string[] = [];
/** Organizations whose calls are answered when the test says so. */
const held = new Set<string>();
const waiting: (() => void)[] = [];
const release = () => {
  for (const end of waiting.splice(0)) end();
};

async function reach(org_id: string): Promise<void> {
  reached.push(org_id);
  if (held.has(org_id)) await new Promise<void>((resolve) => waiting.push(resolve));
}
const calls = (org_id: string) => reached.filter((each) => each === org_id).length;

function known(digest: string): Caller {
  const caller = callers.get(digest);
  if (caller === undefined) throw new AppError('invalid_embed_client');
  return caller;
}

const runs: { readonly [S in ServiceName]?: Runs } = {
  identity: {
    'identity.VerifyKeys': async ({ key_digests }) => ({
      verdicts: key_digests.map((digest) => {
        const caller = callers.get(digest);
        return caller === undefined ? { valid: false } : { valid: true, key_id: digest, ...caller };
      }),
    }),
    'identity.VerifySessions': async ({ session_digests }) => ({
      verdicts: session_digests.map((digest) => {
        const { role, org_id, suspended, requests_limit, joined_by_link } = callers.get(digest) ?? {};
        if (org_id === undefined) return { valid: false };
        const expires_at = new Date(Date.now() + 3_600_000).toISOString();
        return { valid: true, session_id: digest, account_id: digest, org_id, role, suspended, requests_limit, joined_by_link, expires_at };
      }),
    }),
    'identity.VerifyEmbedClient': async ({ secret_digest }) => known(secret_digest),
    'identity.RecordKeyUse': async () => ({}),
  },
  'clients-plans': {
    async 'clients.CreateClient'(_request, { principal }) {
      await reach(principal.org_id);
      throw new AppError('email_taken');
    },
  },
  mcp: {
    async 'mcp.AnswerWrite'(_request, { principal }) {
      await reach(principal.org_id);
      return { status: 200, json: Buffer.from('{}') };
    },
  },
  embed: {
    async 'embed.OpenEmbedSession'(_request, { principal }) {
      await reach(principal.org_id);
      throw new AppError('project_not_found');
    },
    async 'embed.StartTurn'(_request, { principal }) {
      await reach(principal.org_id);
      return { turn_id: '' };
    },
  },
};

const register = (digest: string, { caller, isUnknown }: Wrong) => {
  const fine = { org_id: randomUUID(), permissions: ['read', 'write'], role: 'owner', suspended: false, rate_limit: 1000 };
  if (!isUnknown) callers.set(digest, { ...fine, ...caller });
};

function withKey(path: string, body: object): Handler['ask'] {
  return (wrong) => {
    const key = formatApiKey(randomBytes(32));
    register(apiKeyDigest(key), wrong);
    return { path: wrong.path ?? path, headers: { authorization: `Bearer ${key}`, ...wrong.headers }, body };
  };
}

function withSession(path: string, body: object): Handler['ask'] {
  return (wrong) => {
    const token = randomBytes(16).toString('hex');
    register(sessionTokenDigest(token), wrong);
    return { path: wrong.path ?? path, headers: { cookie: `${sessionCookie}=${token}.signature`, origin, ...wrong.headers }, body };
  };
}

function withPair(wrong: Wrong): Sent {
  const client_secret = embedSecretTexts.format(randomBytes(32));
  register(embedSecretTexts.digest(client_secret), wrong);
  const body = { client_id: `emb_${randomUUID()}`, client_secret, user_id: 'ada' };
  return { path: '/api/embed/session', headers: { ...wrong.headers }, body };
}

const foreignPage = { headers: { origin: 'https://evil.example' } };
const bound = { bound: true } as const;
const quotaStep = { wrong: { caller: { requests_limit: 0 } }, status: 429, code: 'rate_limited' };
const suspensionStep = { wrong: { caller: { suspended: true } }, status: 403, code: 'organization_suspended' };
const bodyStep = { wrong: { headers: { 'content-type': 'text/plain' } }, status: 415, code: 'content_type_unsupported' };

const apiSteps: Handler['steps'] = {
  host: { notShown: 'any page may call the API' },
  credential: { wrong: { isUnknown: true }, status: 401, code: 'invalid_key' },
  quota: quotaStep,
  origin: { wrong: foreignPage, status: 403, code: 'browser_key' },
  slot: bound,
  route: { wrong: { path: '/api/v1/nothing' }, status: 404, code: 'route_not_found' },
  role: { wrong: { caller: { permissions: ['read'] } }, status: 403, code: 'permission_missing' },
  suspension: suspensionStep,
  body: bodyStep,
  pace: bound,
  stream: { notShown: 'the answer is one record' },
};

const toolCall = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_client', arguments: {} } };

const mcpSteps: Handler['steps'] = {
  ...{ credential: apiSteps.credential, quota: quotaStep, slot: bound, suspension: suspensionStep, body: bodyStep, pace: bound },
  host: { wrong: { headers: { host: 'other.test' } }, status: 403, code: 'foreign_address' },
  origin: { wrong: foreignPage, status: 403, code: 'browser_key' },
  route: { notShown: 'mcp answers it' },
  role: { notShown: 'mcp answers it' },
  stream: { notShown: 'the answer is whole' },
};

function withProgress(wrong: Wrong): Sent {
  const params = { name: 'build_site', arguments: {}, _meta: { progressToken: 1 } };
  const sent = withKey('/api/mcp', { ...toolCall, params })(wrong);
  return { ...sent, headers: { accept: 'text/event-stream', ...sent.headers } };
}

const handlers: Readonly<Record<string, Handler>> = {
  'the API': { ask: withKey('/api/v1/clients', { email: 'ada@example.com' }), admitted: 400, steps: apiSteps },
  'a stream of the chat': {
    ask: withSession(`/api/v1/projects/${randomUUID()}/chat`, { message: 'A bakery' }),
    admitted: 204,
    steps: {
      ...apiSteps,
      credential: { wrong: { isUnknown: true }, status: 401, code: 'invalid_session' },
      origin: { wrong: foreignPage, status: 403, code: 'foreign_page' },
      role: { wrong: { caller: { role: 'viewer' } }, status: 403, code: 'role_missing' },
      stream: bound,
    },
  },
  MCP: { ask: withKey('/api/mcp', toolCall), admitted: 200, steps: mcpSteps },
  'the progress of a builder over MCP': { ask: withProgress, admitted: 200, steps: { ...mcpSteps, stream: bound } },
  'embed sessions': {
    ask: withPair,
    admitted: 404,
    steps: {
      ...{ quota: quotaStep, slot: bound, suspension: suspensionStep, body: bodyStep, pace: bound },
      credential: { wrong: { isUnknown: true }, status: 401, code: 'invalid_embed_client' },
      host: { notShown: 'the pair proves the caller' },
      origin: { wrong: foreignPage, status: 403, code: 'browser_key' },
      route: { notShown: 'there is one path' },
      role: { notShown: 'an embed client may do one thing' },
      stream: { notShown: 'the answer is one record' },
    },
  },
};

type Bounds = Partial<Record<'CREDENTIAL_CONCURRENCY' | 'CREDENTIAL_STREAMS', number>>;

let folder: string;
const gateways: { close(): Promise<void> }[] = [];
const replicas: AsyncDisposable[] = [];
let port: number;

/** The port of a gateway. */
async function start(bounds: Bounds = {}): Promise<number> {
  const nowhere = '127.0.0.1:9';
  const addresses = [...rpcPeersOf('gateway').map(addressSetting), ...httpServiceNames.map(httpAddressSetting)];
  const config = GatewayConfig.parse({
    ...Object.fromEntries(addresses.map((name) => [name, nowhere])),
    ...{ NATS_URL: process.env.NATS_URL, REDIS_URL: process.env.REDIS_URL, PRINCIPAL_SIGNING_KEY: keys.privateKey },
    ...{
      ORIGIN: origin,
      ALLOW_PLAIN_HTTP: 'true',
      SITES_ORIGIN: 'http://sites.test',
      PREVIEW_ORIGIN: 'http://preview.test',
      DASHBOARD_DIR: folder,
      DOCS_DIR: folder,
    },
    ...{ RATE_LIMIT: quota, SESSION_RATE_LIMIT: quota, RATE_WINDOW_MS: 600_000, REDIS_TIMEOUT_MS: 60_000, REQUEST_TIMEOUT_MS: 120_000 },
    ...{ CREDENTIAL_CONCURRENCY: concurrency, QUEUE_TIMEOUT_MS: 1, ...bounds },
  });
  const rateLimiter = openRateLimiter(config);
  const gateway = createHandlers(config, {
    limiter: rateLimiter.limiter,
    identity: (_request, response) => response.end(),
    signIn: async () => [],
    clientAddress: ({ headers }) => String(headers['x-network']),
    clientIp: ({ headers }) => String(headers['x-network']),
  });
  gateways.push(gateway, rateLimiter);
  return listening((received, response) => (received.url === '/api/mcp' ? gateway.mcp : gateway.origin)(received, response));
}

/** Sends a request from a network of its own, unless one is named. */
async function send(to: number, { path, headers, body }: Sent, network: string = randomUUID()) {
  const all = { host: 'app.test', 'x-network': network, 'content-type': 'application/json', ...headers };
  const sent = request({ port: to, host: '127.0.0.1', path, method: 'POST', headers: all, agent: false }).end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const shown = await text(response);
  const { code, error } = shown === '' ? {} : JSON.parse(shown);
  return { status: response.statusCode, code: code ?? error?.data?.code, headers: response.headers };
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'dashboard-'));
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify({ pages: [], files: {}, scriptHashes: [] }));
  for (const language of languages) {
    mkdirSync(path.join(folder, language));
    for (const page of ['index.html', 'builder.html'])
      for (const encoding of ['', '.br', '.gz'])
        writeFileSync(path.join(folder, language, page + encoding), '<head><title></title></head>');
  }
  const preloads = languages.map((language) => [language, { project: [], other: [] }]);
  writeFileSync(path.join(folder, 'module-preloads.json'), JSON.stringify(Object.fromEntries(preloads)));
  await connectEvents(process.env.NATS_URL ?? '', 'test', { subjectPrefix: `${randomUUID()}.` });
  const addresses: Record<string, string> = {};
  for (const [name, own] of Object.entries(runs) as [ServiceName, Runs][]) {
    const verifier = trustingVerifier(name, keys.publicKey);
    const replica = await startReplica({}, { service: name, useCases: useCasesOf(name, own), verifier });
    replicas.push(replica);
    addresses[name] = `127.0.0.1:${replica.port}`;
  }
  replicas.push(connectTo('carried', [], { addresses }));
  await until(() => Object.keys(runs).every((name) => peerState(name as ServiceName) === 'ready'));
  port = await start();
});
afterEach(() => {
  release();
  jest.restoreAllMocks();
});
afterAll(async () => {
  closeServers();
  await Promise.all(gateways.map((gateway) => gateway.close()));
  for (const part of replicas.reverse()) await part[Symbol.asyncDispose]();
  await closeEvents();
  rmSync(folder, { recursive: true });
});

/** The order in which a request meets the steps. */
const order: readonly AdmissionStep[] = [
  ...(['host', 'credential', 'quota', 'origin', 'slot', 'route', 'role', 'suspension', 'body', 'pace', 'stream'] as const),
];
const all = Object.entries(handlers);
const shown = all.flatMap(([name, { ask, steps }]) =>
  order.flatMap((step) => {
    const found = steps[step];
    return 'wrong' in found ? [{ name, step, ask, ...found }] : [];
  }),
);
const bounded = (step: AdmissionStep) =>
  all.flatMap(([name, { ask, admitted, steps }]) => ('bound' in steps[step] ? [{ name, ask, admitted }] : []));

test('the ladder has these steps, in this order', () => {
  expect(admissionSteps).toEqual(order);
});

test.each(all)('%s admits a request that nothing is wrong with', async (_name, { ask, admitted }) => {
  const org_id = randomUUID();
  expect((await send(port, ask({ caller: { org_id } }))).status).toBe(admitted);
  expect(calls(org_id)).toBe(1);
});

test.each(shown)('$name: the step $step refuses with $status $code, and no service is called', async ({ ask, wrong, status, code }) => {
  const org_id = randomUUID();
  expect(await send(port, ask({ ...wrong, caller: { org_id, ...wrong.caller } }))).toMatchObject({ status, code });
  expect(calls(org_id)).toBe(0);
});

test.each(all)('%s refuses in the order of the steps', async (name) => {
  // A body in which the credential is comes with it.
  const own = shown.filter((each) => each.name === name && (name !== 'embed sessions' || each.step !== 'body'));
  for (const [at, { ask, status, code }] of own.entries()) {
    const wrongs = own.slice(at).map(({ wrong }) => wrong);
    const caller = Object.assign({}, ...wrongs.map((wrong) => wrong.caller));
    const headers = Object.assign({}, ...wrongs.map((wrong) => wrong.headers));
    const wrong: Wrong = Object.assign({}, ...wrongs, { caller, headers });
    expect(await send(port, ask(wrong))).toMatchObject({ status, code });
  }
});

test.each(all)('%s: requests without a valid credential count against their address', async (_name, { ask }) => {
  const network = randomUUID();
  const statuses = [];
  for (let each = 0; each <= quota; each++) statuses.push((await send(port, ask({ isUnknown: true }), network)).status);
  expect(statuses).toEqual([...Array(quota).fill(401), 429]);
});

test.each(all)('%s: a credential has a quota, and the refusal tells when it ends', async (_name, { ask, admitted }) => {
  const sent = ask({ caller: { rate_limit: quota } });
  for (let each = 0; each < quota; each++) expect((await send(port, sent)).status).toBe(admitted);
  const { status, code, headers } = await send(port, sent);
  expect([status, code, headers['x-ratelimit-limit']]).toEqual([429, 'rate_limited', String(quota)]);
  expect(Number(headers['retry-after'])).toBeGreaterThan(1);
});

/** Uses up a bound of one of a credential, and expects the refusal of its next request. */
async function expectBoundOfOne(
  settings: Parameters<typeof start>[0],
  { ask, admitted }: Pick<Handler, 'ask' | 'admitted'>,
): Promise<void> {
  const narrow = await start(settings);
  const org_id = randomUUID();
  held.add(org_id);
  const sent = ask({ caller: { org_id } });
  const first = send(narrow, sent);
  await until(() => calls(org_id) === 1);
  held.delete(org_id);
  expect(await send(narrow, sent)).toMatchObject({ status: 429, code: 'too_many_in_flight' });
  expect((await send(narrow, ask({}))).status).toBe(admitted);
  release();
  expect((await first).status).toBe(admitted);
}

test.each(bounded('slot'))('$name: a request beyond the slots of its credential is refused; others are served', (handler) =>
  expectBoundOfOne({ CREDENTIAL_CONCURRENCY: 1 }, handler),
);

test.each(bounded('pace'))('$name: writes of an organization beyond its pace are refused', async ({ ask, admitted }) => {
  // The clock of the pace stands still: no machine is too slow to write 21 times at once.
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const caller = { org_id: randomUUID(), requests_limit: 21 };
  const answers = await Promise.all(Array.from({ length: 21 }, () => send(port, ask({ caller }))));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(admitted), 429].sort());
  expect(answers.find(({ status }) => status === 429)?.code).toBe('too_many_in_flight');
});

test("writes of clients who joined by a link have a pace of their own, and hold up none of the organization's", async () => {
  jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const caller = { org_id: randomUUID(), requests_limit: 1000 };
  const { ask, admitted } = handlers['a stream of the chat'] as Handler;
  const statuses = async (count: number, more: Partial<Caller>) => {
    const answers = await Promise.all(Array.from({ length: count }, () => send(port, ask({ caller: { ...caller, ...more } }))));
    return answers.map(({ status }) => status).sort();
  };
  expect(await statuses(25, { joined_by_link: true })).toEqual([...Array(20).fill(admitted), ...Array(5).fill(429)]);
  expect(await statuses(25, {})).toEqual(Array(25).fill(admitted));
});

test.each(bounded('stream'))('$name: a stream beyond those of its credential is refused; others are served', (handler) =>
  expectBoundOfOne({ CREDENTIAL_STREAMS: 1 }, handler),
);

test('every page at an address that a network can read, allowed by name, loads the warning', async () => {
  const get = async (path: string) => {
    const headers = { host: 'app.test', 'x-network': randomUUID() };
    const [response] = (await once(request({ port, host: '127.0.0.1', path, headers, agent: false }).end(), 'response')) as [
      IncomingMessage,
    ];
    return text(response);
  };
  const sheet = '/assets/plain-http.css';
  for (const path of ['/', '/sign-in', '/builder/1']) expect(await get(path)).toContain(`<link rel="stylesheet" href="${sheet}">`);
  expect(await get('/assets/page.css')).toMatch(new RegExp(`^@import "${sheet}";`));
  expect(await get(sheet)).toMatch(/:lang\(de\) > body::before \{ content: "Diese Seite/);
});
