import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { agentToolNames, oauthTokenTexts } from '@webkiln/contract';
import { freePort } from '@webkiln/runtime/testing/free-port';
import { type Agency, agency, byTime, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api, type Json, someAddress } from '../harness/api.ts';
import { allScenarios, runSuite, type Scenario, scenariosOfRevision } from '../harness/conformance-suite.ts';
import { allowAgent, connectedAgent, registerAgent } from '../harness/connected-agent.ts';
import { KeyedProxy } from '../harness/keyed-proxy.ts';
import { owner, type Person } from '../harness/person.ts';
import { PythonProgram } from '../harness/python-program.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser, newMember } from '../harness/team.ts';
import { activeClient, makeProject, makeTemplate, someEmail } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('the official loop of an agent', () => {
  const maxCalls = 10;
  const maxTokens = 20_000;
  /** JSON has more characters a token than this, so that dividing by it never counts too few tokens. */
  const charactersPerToken = 2;

  test.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ])(
    'an agent that follows descriptions, schemas and results alone gets a client, a site from a template, its links and its figures (official Python client, %s: %s)',
    async (mode, revision) => {
      const ours = await agency();
      const source = await makeProject(ours.api);
      await ours.writeDraft(source.id, { 'index.html': '<h1>Bakery</h1>' });
      await makeTemplate(ours.api, { name: 'Empty' });
      const template = await makeTemplate(ours.api, { name: 'Bakery', source_project_id: source.id });
      await using agent = await PythonProgram.start('agent_loop.py');
      const facts = { email: someEmail(), name: 'Boulangerie', wanted: 'Bakery' };
      expect(await agent.ask({ url: new Agent(undefined).url, key: ours.api.key, mode, facts })).toEqual({ revision });

      const { content: invited } = await agent.ask({ purpose: 'add a client' });
      await agent.ask({ purpose: 'what a new project starts from' });
      const { refused } = await agent.ask({ purpose: 'start a website' });
      expect(refused).toMatch(/^client_not_active/);
      (await ours.api.patch(`/clients/${invited.client.id}`, { status: 'active' })).expect(200);
      const { content: started } = await agent.ask({ activated: invited.client.id });
      const { content: links } = await agent.ask({ purpose: 'show a project to somebody' });
      const { content: figures, calls, characters } = await agent.ask({ purpose: 'how often published sites were viewed' });

      expect(started.project).toMatchObject({ name: 'Boulangerie', template: template.id, org_client_id: invited.client.id });
      expect(links.builder_url).toContain(started.project.id);
      expect(figures).toMatchObject({ analytics: { totalViews: 0 } });
      expect(calls).toBeLessThanOrEqual(maxCalls);
      expect(characters / charactersPerToken).toBeLessThanOrEqual(maxTokens);
    },
  );
});

describe('sign-in of an agent', () => {
  // Operators' calls need the keys of an agency's platform.
  beforeAll(agency);

  test('an OAuth token that was issued for MCP calls tools, one for the REST API answers 401, and a disconnected one too', async () => {
    const boss = await owner();
    const project = await makeProject(boss.api);
    const [forMcp, forApi] = [await connectedAgent(boss), await connectedAgent(boss, { resource: `${origin}/api/v1` })];
    const agent = new Agent(forMcp.accessToken);
    expect((await agent.use('get_project', { project_id: project.id })).project.id).toBe(project.id);
    const refused = (await new Agent(forApi.accessToken).ask('tools/list')).expect(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/resource_metadata=.*error="invalid_token"/);
    const { agents } = (await boss.api.get('/account/agents')).expect(200).body;
    for (const { id } of agents) (await boss.api.delete(`/account/agents/${id}`)).expect(200);
    await eventually(async () => (await agent.ask('tools/list')).expect(401));
  });

  test('a token for the REST API is refused for MCP exactly as a token that nobody has, byte for byte but for the id of the request', async () => {
    const ada = await owner();
    const { accessToken } = await connectedAgent(ada, { resource: `${origin}/api/v1` });
    const unknown = oauthTokenTexts.format(randomBytes(32));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_plans' } });
    const refusals = await Promise.all(
      [accessToken, unknown].map(async (token) => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-forwarded-for': ada.address };
        const refused = await fetch(`${origin}/api/mcp`, { method: 'POST', headers, body });
        const requestId = refused.headers.get('x-request-id') ?? '';
        const shown = Object.entries({ ...Object.fromEntries(refused.headers), date: '' }).filter(([name]) => !name.includes('ratelimit'));
        return JSON.stringify([refused.status, await refused.text(), shown]).replaceAll(requestId, 'the request');
      }),
    );
    expect(refusals[0]).toBe(refusals[1]);
    expect(refusals[0]).toMatch(/^\[401,/);
  });

  test('a token calls the tools that the role of its person allows', async () => {
    const boss = await owner();
    const project = await makeProject(boss.api);
    const viewer = new Agent((await connectedAgent(await newMember(boss, 'viewer'))).accessToken);
    await viewer.use('get_project', { project_id: project.id });
    expect(await viewer.refusal('create_client', { email: someEmail() })).toMatch(/^role_missing/);
    const { person, client } = await clientUser(boss);
    const own = await makeProject(boss.api, client);
    const customer = new Agent((await connectedAgent(person)).accessToken);
    expect((await customer.use('list_projects')).projects).toMatchObject([{ id: own.id }]);
    expect(await customer.refusal('get_project', { project_id: project.id })).toMatch(/^project_not_found/);
    expect(await customer.refusal('list_clients')).toMatch(/^role_missing/);
  });

  test('the audit log names the person and the agent, as the agent registered', async () => {
    const boss = await owner();
    const agent = new Agent((await connectedAgent(boss)).accessToken, { headers: { 'user-agent': 'Other' } });
    const { client } = await agent.use('create_client', { email: someEmail() });
    const entry = await eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit?limit=100')).expect(200).body;
      const found = entries.find(({ target }: { target: { id: string } }) => target.id === client.id);
      expect(found).toBeDefined();
      return found;
    });
    expect(entry).toMatchObject({ action: 'client.created', actor: { kind: 'account', email: boss.email, agent: 'Test agent' } });
  });
});

describe('the conformance suite', () => {
  const revisions = ['2025-11-25', '2026-07-28'];
  /** Generous, because it only bounds how long a failure takes. */
  const timeoutMs = '120000';

  /** Scenarios, and checks as `scenario/check`, that docs/mcp.md excludes: the first column of its table. */
  const guide = readFileSync(path.resolve(__dirname, '../../docs/mcp.md'), 'utf8');
  const [, section = ''] = guide.split('## Official conformance suite');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  const excluded = new Set(rows.flatMap((row) => Array.from((row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g), ([, name]) => name ?? '')));

  /** Why scenarios did not pass, without what is excluded. */
  const failuresOf = (names: readonly string[], results: readonly Scenario[]) =>
    names
      .filter((name) => !excluded.has(name))
      .flatMap((name) => {
        const { hasProof = false, failures = [] } = results.find((scenario) => scenario.name === name) ?? {};
        const failed = failures.filter(({ id }) => !excluded.has(`${name}/${id}`)).map(({ id, reason }) => `${name}/${id}: ${reason}`);
        return hasProof ? failed : [...failed, `${name}: no check holds`];
      });

  test.each(revisions)('scenarios for servers of revision %s pass, but for those that docs/mcp.md excludes', async (revision) => {
    const ours = await agency(undefined, { rateLimit: 10_000 });
    await using proxy = await KeyedProxy.start(new Agent(undefined).url, String(ours.api.key));
    const results = await runSuite(['server', '--url', proxy.url, '--requirements', revision, '--timeout', timeoutMs]);
    expect(failuresOf(scenariosOfRevision(revision), results)).toEqual([]);
  });

  const authorization = ['authorization-server-metadata-endpoint', 'authorization-code-grant'];

  test('scenarios for authorization servers pass', async () => {
    // Operators' calls need the keys of an agency's platform.
    await agency();
    const person = await owner();
    const [client, port] = [await registerAgent(origin, 'Conformance', 'http://127.0.0.1/callback'), await freePort()];
    const options = ['--client-id', client, '--resource', `${origin}/api/mcp`, '--port', String(port)];
    let page = '';
    const results = await runSuite(['authorization', '--url', origin, ...options], async (line) => {
      if (line.startsWith(`${origin}/oauth/authorize?`)) page = line;
      if (line.startsWith('Callback server started')) await fetch(await allowAgent(person, page));
    });
    expect(failuresOf(authorization, results)).toEqual([]);
  });

  test('each scenario that the suite has for servers is run or excluded, and nothing else is excluded', async () => {
    const known = await allScenarios();
    const run = new Set([...revisions.flatMap(scenariosOfRevision), ...authorization]);
    expect(known.filter((name) => !run.has(name) && !excluded.has(name))).toEqual([]);
    expect([...excluded].filter((name) => !known.includes(name.split('/')[0] ?? ''))).toEqual([]);
  });
});

describe('logs', () => {
  let boss: Person;
  let key: { id: string; secret: string };
  beforeAll(async () => {
    boss = await owner();
    const { key: made, secret } = (await boss.api.post('/account/keys', { name: 'agent', permissions: ['read', 'write'] })).expect(
      201,
    ).body;
    key = { id: made.id, secret };
  });

  const logged = (route: string, count: number): Promise<Json[]> =>
    eventually(async () => {
      const { requests } = (await boss.api.get(`/account/requests?key_id=${key.id}`)).expect(200).body;
      const found = requests.filter((request: Json) => request.route === route);
      expect(found).toHaveLength(count);
      return found;
    });
  const audited = (id: string, count: number): Promise<Json[]> =>
    eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit?limit=100')).expect(200).body;
      const found = entries.filter(({ target }: Json) => target.id === id);
      expect(found).toHaveLength(count);
      return found;
    });

  const session = async (agent: Agent, name: string) => {
    const answer = await agent.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } });
    return { 'mcp-session-id': answer.expect(200).headers.get('mcp-session-id') ?? '' };
  };
  const call = (agent: Agent, name: string, args: object, headers: Record<string, string>) =>
    agent.ask('tools/call', { name, arguments: args }, headers);

  test('every call is in the request log with its tool, its outcome and the name of the client', async () => {
    const agent = new Agent(key.secret);
    const headers = await session(agent, 'Claude \u0007 Desktop');
    await call(agent, 'list_templates', {}, headers);
    expect(await logged('tools/call list_templates', 1)).toMatchObject([
      { method: 'POST', status: 200, code: null, agent: 'Claude Desktop', credential: { kind: 'api_key', id: key.id } },
    ]);
    await call(agent, 'get_project', { project_id: crypto.randomUUID() }, headers);
    expect(await logged('tools/call get_project', 1)).toMatchObject([{ status: 404, code: 'project_not_found', agent: 'Claude Desktop' }]);
    await call(agent, 'list_plans', {}, { 'user-agent': 'curl/8' });
    expect(await logged('tools/call list_plans', 1)).toMatchObject([{ agent: 'curl/8' }]);
  });

  test('writes are in the audit log with the name of the client, in both revisions, and the chain verifies', async () => {
    const agent = new Agent(key.secret);
    const headers = await session(agent, 'Cursor');
    const { client } = (await call(agent, 'create_client', { email: someEmail() }, headers)).body.result.structuredContent;
    const actor = { kind: 'api_key', id: key.id, agent: 'Cursor' };
    expect(await audited(client.id, 1)).toMatchObject([{ action: 'client.created', actor }]);

    const program = new Api(`${boss.platform.origins[0]}/api/v1`, key.secret);
    const { email } = await activeClient(program);
    const modern = new ModernClient({ name: 'Next', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const requestInit = { headers: { authorization: `Bearer ${key.secret}` } };
    await modern.connect(new ModernTransport(new URL(agent.url), { requestInit }));
    const { project } = (await modern.callTool({ name: 'create_project', arguments: { client_email: email, name: 'Shop' } }))
      .structuredContent as Json;
    await modern.callTool({ name: 'update_project', arguments: { project_id: project.id, name: 'Store' } });
    await modern.close();
    const acts = (await audited(project.id, 2)).toSorted(byTime);
    expect(acts).toMatchObject([
      { action: 'project.created', actor: { agent: 'Next' }, target: { name: 'Shop' } },
      { action: 'project.changed', actor: { agent: 'Next' }, target: { name: 'Store' } },
    ]);
    // Programs that are no agents leave no such entries.
    (await program.patch(`/projects/${project.id}`, { name: 'Bakery' })).expect(200);
    const deleted = (await program.delete(`/projects/${project.id}`)).expect(200);
    expect(deleted.body.deleted).toBe(true);
    expect((await audited(project.id, 3)).map(({ action }) => action).toSorted()).toEqual([
      'project.changed',
      'project.created',
      'project.deleted',
    ]);
  });
});

describe('hostile messages', () => {
  let ours: Agency;
  let agent: Agent;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 10_000 });
    agent = new Agent(ours.api.key);
  });
  const stranger = new Agent(undefined, { headers: { 'x-forwarded-for': someAddress() } });

  /** 400 KB that parsers take, and that whatever calls itself for each level does not. */
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const message = (method: string, params: string) => `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const deepMessages = {
    'params of a list': message('tools/list', `{"x":${deep}}`),
    'params of a ping': message('ping', deep),
    'an argument of a tool': message('tools/call', `{"name":"list_plans","arguments":{"limit":${deep}}}`),
    'arguments of a tool that writes': message('tools/call', `{"name":"create_client","arguments":{"email":${deep}}}`),
    'what a client says of itself': message(
      'initialize',
      `{"protocolVersion":"2025-11-25","clientInfo":{"name":${deep}},"capabilities":${deep}}`,
    ),
    'an id': `{"jsonrpc":"2.0","id":${deep},"method":"ping"}`,
    'the whole message': deep,
    'fields beside it': `{"jsonrpc":"2.0","id":1,"method":"tools/list","x":${deep}}`,
  };

  test.each(Object.entries(deepMessages))(
    '%s with 200,000 levels are refused with a JSON-RPC error, and the next message is served',
    async (_where, body) => {
      for (const sender of [stranger, agent]) {
        const answer = await sender.post(body);
        expect([400, 401]).toContain(answer.status);
        expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number), message: expect.stringMatching(/\w/) } });
        (await sender.ask('ping')).expect(200);
      }
    },
  );

  test('a batch is refused by the gateway, where each message is counted', async () => {
    const batch = JSON.stringify(['ping', 'tools/list'].map((method, id) => ({ jsonrpc: '2.0', id, method })));
    for (const sender of [stranger, agent]) {
      for (const body of [batch, '[]']) {
        const { error } = (await sender.post(body)).expect(400).body;
        // mcp refuses batches, too, but knows no such code.
        expect(error).toMatchObject({ code: -32_600, data: { code: 'validation_failed' } });
      }
    }
  });

  test('equal messages get their own ids back, and the tools of their own organization', async () => {
    const boss = await owner();
    const { secret } = (await boss.api.post('/account/keys', { name: 'agent', permissions: ['read'] })).expect(201).body;
    const restricted = new Agent(secret);
    (await boss.api.patch('/account/agent-access', { is_enabled: false })).expect(200);
    const count = async (sender: Agent, id: string | number) => {
      const { body } = (await sender.post(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }))).expect(200);
      expect(body.id).toBe(id);
      return body.result.tools.length;
    };
    await eventually(async () => expect(await count(restricted, 'r')).toBe(0));
    const all = agentToolNames.length;
    for (const id of [1, 'one', 2, 'é']) {
      expect(await Promise.all([count(agent, id), count(stranger, id), count(restricted, id)])).toEqual([all, all, 0]);
    }
  });
});

describe('the address', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 10_000 });
  });
  const { port } = new URL(origin);
  const addresses = ['localhost', '127.0.0.1', '[::1]'].flatMap((name) => ['', '/'].map((end) => `http://${name}:${port}/api/mcp${end}`));

  test.each(addresses)('%s is one at which official clients of both lines connect and call', async (address) => {
    const requestInit = { headers: { authorization: `Bearer ${ours.api.key}` } };
    for (const [client, transport] of [
      [new Client({ name: 'a', version: '1' }), new StreamableHTTPClientTransport(new URL(address), { requestInit })],
      [new ModernClient({ name: 'a', version: '1' }), new ModernTransport(new URL(address), { requestInit })],
    ] as [Client, StreamableHTTPClientTransport][]) {
      await client.connect(transport);
      expect((await client.callTool({ name: 'list_plans', arguments: {} })).isError).not.toBe(true);
      await client.close();
    }
  });

  test.each(addresses)(
    'a client that has no token finds at %s the resource that it knows, and gets one for this server',
    async (address) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_plans' } });
      const refused = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const named = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
      const { resource, authorization_servers } = (await (await fetch(named)).json()) as {
        resource: string;
        authorization_servers: string[];
      };
      expect([resource, authorization_servers]).toEqual([address.replace(/\/$/, ''), [origin]]);
      const { accessToken } = await connectedAgent(await owner(), { resource: address });
      (await new Agent(accessToken).ask('tools/call', { name: 'list_plans' })).expect(200);
    },
  );

  test('pages of this machine are agents by a key, pages elsewhere by a token of their own; both ask first, and read the answers', async () => {
    const { accessToken } = await connectedAgent(await owner());
    const list = (page: string, key?: string) => new Agent(key, { headers: { origin: page } }).ask('tools/list');
    for (const page of ['http://localhost:6274', 'http://127.0.0.1:3000', 'https://playground.example']) {
      const asked = {
        origin: page,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,mcp-session-id',
      };
      const preflight = await fetch(`${origin}/api/mcp`, { method: 'OPTIONS', headers: asked });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(preflight.headers.get('access-control-allow-headers')).toBe('Authorization, *');
      const { headers } = (await list(page, accessToken)).expect(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toMatch(/Mcp-Session-Id.*WWW-Authenticate/);
      const refusal = (await list(page, 'wk_nonsense')).expect(401);
      expect(refusal.headers.get('access-control-allow-origin')).toBe('*');
    }
    (await list('http://localhost:6274', ours.api.key)).expect(200);
    (await list('http://localhost:6274')).expect(200);
    // A published site is not the machine of its visitor, whatever its name resolves to.
    for (const foreign of ['https://evil.example', 'null', `http://shop.sites.localhost:${port}`, 'http://localhost.evil.example']) {
      expect((await list(foreign, ours.api.key)).expect(403).body.error.data.code).toBe('browser_key');
      expect((await list(foreign)).expect(403).body.error.data.code).toBe('foreign_address');
    }
  });
});

describe('what other languages write', () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = new Agent((await agency(undefined, { rateLimit: 10_000 })).api.key);
  });
  const send = (method: string, params: unknown, headers: Record<string, string> = {}) =>
    agent.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers);

  test.each([
    ['params that are null', 'tools/list', null],
    ['params that are an empty list', 'tools/list', []],
    ['a cursor that is null', 'tools/list', { cursor: null, _meta: null }],
    ['arguments that are null', 'tools/call', { name: 'list_plans', arguments: null }],
    ['arguments that are an empty list', 'tools/call', { name: 'list_plans', arguments: [] }],
    ['an optional argument that is null', 'tools/call', { name: 'list_plans', arguments: { limit: null, cursor: null } }],
  ])('%s are as none', async (_what, method, params) => {
    const { result } = (await send(method, params)).expect(200).body;
    expect(result?.tools ?? result?.structuredContent?.plans).toBeDefined();
  });

  test('a null never takes away what an agent does not name', async () => {
    const ours = await agency();
    const project = await makeProject(ours.api, undefined, { name: 'Shop', description: 'Sells bread' });
    const own = new Agent(ours.api.key);
    const change = { project_id: project.id, name: 'Store', description: null, tags: null, status: null, idempotency_key: null };
    expect((await own.use('update_project', change)).project).toMatchObject({ name: 'Store', description: 'Sells bread' });
    expect(await own.refusal('update_project', { project_id: null, name: 'Store' })).toMatch(/project_id/);
  });

  test.each(['2099-01-01', '2026-07-28', 'draft', ''])('initialize negotiates, whatever a header says: %s', async (revision) => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
    const headers = { 'mcp-protocol-version': revision, 'mcp-method': 'tools/list' };
    expect((await send('initialize', params, headers)).expect(200).body.result.protocolVersion).toBe('2025-06-18');
  });
});

describe('revisions of the protocol', () => {
  let ours: Agency;
  let url: URL;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 10_000 });
    url = new URL(new Agent(undefined).url);
  });
  const clientInfo = { name: 'official', version: '1' };
  const requestInit = () => ({ headers: { authorization: `Bearer ${ours.api.key}` } });

  /** The official clients, connected: of the line that knows the revisions until 2025-11-25, and of the next one. */
  const connected = {
    '@modelcontextprotocol/sdk': async () => {
      const client = new Client(clientInfo);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit() }));
      return client;
    },
    '@modelcontextprotocol/client, 2025-11-25': async () => {
      const client = new ModernClient(clientInfo);
      await client.connect(new ModernTransport(url, { requestInit: requestInit() }));
      expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
      return client;
    },
    '@modelcontextprotocol/client, 2026-07-28': async () => {
      const client = new ModernClient(clientInfo, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
      await client.connect(new ModernTransport(url, { requestInit: requestInit() }));
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
      return client;
    },
  };

  test.each(Object.entries(connected))('%s lists and calls tools, reads resources and gets prompts', async (_client, connect) => {
    const project = await makeProject(ours.api, undefined, { name: 'Café' });
    await ours.writeDraft(project.id, { 'index.html': '<h1>Café</h1>', 'a b.txt': 'plain' });
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(agentToolNames);
    const called = await client.callTool({ name: 'get_project', arguments: { project_id: project.id } });
    expect(called.structuredContent).toMatchObject({ project: { id: project.id, name: 'Café' } });
    expect(await client.callTool({ name: 'get_project', arguments: {} })).toMatchObject({ isError: true });

    expect((await client.listResources()).resources).toMatchObject([{ uri: 'webkiln://openapi.json' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'webkiln://projects/{project_id}/files/{+path}' },
    ]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
    const base = `webkiln://projects/${project.id}/files`;
    expect(await read(`${base}/index.html`)).toMatchObject({ mimeType: 'text/html; charset=utf-8', text: '<h1>Café</h1>' });
    expect(await read(`${base}/a%20b.txt`)).toMatchObject({ text: 'plain' });
    expect(JSON.parse(((await read('webkiln://openapi.json')) as { text: string }).text)).toMatchObject({ openapi: '3.1.0' });
    await expect(read(`${base}/missing.html`)).rejects.toThrow('file_not_found');
    await expect(read('webkiln://elsewhere')).rejects.toThrow('file_not_found');

    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'start_site' }, { name: 'monthly_report' }]);
    const prompt = await client.getPrompt({ name: 'start_site', arguments: { brief: 'A bakery in Lyon' } });
    expect(JSON.stringify(prompt.messages)).toContain('A bakery in Lyon');
    await expect(client.getPrompt({ name: 'start_site' })).rejects.toThrow('brief is required');
    await client.close();
  });

  test('clients of both revisions are served at the same time, each by its own, and repeated ids never meet', async () => {
    const projects = await Promise.all(Array.from({ length: 4 }, (_, at) => makeProject(ours.api, undefined, { name: `Site ${at}` })));
    const agent = new Agent(ours.api.key);
    const modern = await connected['@modelcontextprotocol/client, 2026-07-28']();
    const ask = async (project_id: string) => {
      const params = { name: 'get_project', arguments: { project_id } };
      return (await agent.post(JSON.stringify({ jsonrpc: '2.0', id: 'same', method: 'tools/call', params }))).expect(200).body;
    };
    await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const { id } = projects[at % 4] as { id: string };
        const [one, other] = await Promise.all([ask(id), modern.callTool({ name: 'get_project', arguments: { project_id: id } })]);
        expect(one).toMatchObject({ id: 'same', result: { structuredContent: { project: { id } } } });
        expect(other.structuredContent).toMatchObject({ project: { id } });
      }),
    );
    await modern.close();
  });

  test('an unknown revision is refused', async () => {
    const agent = new Agent(ours.api.key);
    (await agent.ask('tools/list', {}, { 'mcp-protocol-version': '1999-01-01' })).expect(400);
    const { result } = (await agent.ask('initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo })).expect(200).body;
    expect(result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'webkiln' } });
  });
});
