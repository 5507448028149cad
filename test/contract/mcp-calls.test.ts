import { request } from 'node:http';
import { agentToolNames } from '@webkiln/contract';
import { type Agency, agency, broadcastMs, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api, someAddress } from '../harness/api.ts';
import { connectedAgent } from '../harness/connected-agent.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { activeClient, inviteClient, makePlan, makeProject, makeTemplate, someEmail } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('tools', () => {
  let ours: Agency;
  let theirs: Agency;
  let agent: Agent;
  beforeAll(async () => {
    [ours, theirs] = await Promise.all([agency(undefined, { rateLimit: 10_000 }), agency()]);
    agent = new Agent(ours.api.key);
  });

  const unknownId = '00000000-0000-4000-8000-000000000000';

  test('tools/list shows the ten tools with schemas, annotations and descriptions, to everybody', async () => {
    const { tools } = (await new Agent(undefined).ask('tools/list')).expect(200).body.result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(agentToolNames);
    for (const tool of tools) {
      expect(tool).toMatchObject({ inputSchema: { type: 'object', additionalProperties: false }, outputSchema: { type: 'object' } });
      expect(tool.annotations.readOnlyHint).toBe(/^(list|get)_/.test(tool.name));
      expect('idempotency_key' in tool.inputSchema.properties).toBe(!tool.annotations.readOnlyHint);
      expect(tool.description).toMatch(/^Use it to /);
    }
  });

  test('list_clients and list_projects page by a cursor, and their text is their structure', async () => {
    const other = await agency();
    const client = await activeClient(other.api);
    for (let count = 0; count < 3; count++) await makeProject(other.api, client, { name: `Site ${count}` });
    const lister = new Agent(other.api.key);
    const first = await lister.call('list_projects', { limit: 2, client_id: client.id });
    expect(JSON.parse(first.content[0]?.text ?? '')).toEqual(first.structuredContent);
    const { next_cursor: cursor, total } = first.structuredContent;
    expect(total).toBe(3);
    const second = await lister.use('list_projects', { limit: 2, client_id: client.id, cursor });
    const names = [...first.structuredContent.projects, ...second.projects].map(({ name }) => name);
    expect(names).toEqual(['Site 2', 'Site 1', 'Site 0']);
    expect(second.next_cursor).toBeNull();
    expect((await lister.use('list_clients')).clients).toMatchObject([{ id: client.id, status: 'active' }]);
  });

  test('create_client invites a client, says so, and a repeat with the same idempotency_key does nothing again', async () => {
    const plan = await makePlan(ours.api);
    const given = { email: someEmail(), name: 'Bakery', plan_id: plan.id, idempotency_key: crypto.randomUUID() };
    const first = await agent.call('create_client', given);
    expect(first.structuredContent.client).toMatchObject({ email: given.email, status: 'invited', plan_id: plan.id });
    expect(first.content[0]?.text).toContain(`Invited the client ${given.email} with the id ${first.structuredContent.client.id}`);
    const again = await agent.call('create_client', given);
    expect(again.structuredContent).toEqual(first.structuredContent);
    expect(again.content[0]?.text).toContain('nothing was done again');
    expect(await agent.refusal('create_client', { ...given, name: 'Other' })).toMatch(/^idempotency_key_reused: .*new idempotency_key/);
    const taken = await agent.refusal('create_client', { email: given.email });
    expect(taken).toMatch(/^email_taken: .*list_clients/);
  });

  test('create_project copies a template for an active client, and says how to go on for one that is not', async () => {
    const source = await makeProject(ours.api);
    await ours.writeDraft(source.id, { 'index.html': '<h1>Starter</h1>' });
    const template = await makeTemplate(ours.api, { source_project_id: source.id });
    expect((await agent.use('list_templates')).templates).toMatchObject([{ id: template.id, name: 'Starter' }]);
    const client = await activeClient(ours.api);
    const { project, builder_url } = await agent.use('create_project', {
      client_email: client.email,
      name: 'Shop',
      template_id: template.id,
    });
    expect(project).toMatchObject({ name: 'Shop', org_client_id: client.id, template: template.id });
    expect(builder_url).toContain(project.id);
    const { files } = (await ours.api.get(`/projects/${project.id}/files`)).expect(200).body;
    expect(files).toMatchObject([{ path: 'index.html' }]);
    const invited = await inviteClient(ours.api);
    expect(await agent.refusal('create_project', { client_email: invited.email, name: 'Shop' })).toMatch(
      /^client_not_active: .*list_clients/,
    );
    expect(await agent.refusal('create_project', { client_email: client.email, name: 'Shop', template_id: unknownId })).toMatch(
      /^template_not_found/,
    );
  });

  test('update_project changes the named fields alone, once for each idempotency_key', async () => {
    const project = await makeProject(ours.api, undefined, { description: 'Old' });
    const given = { project_id: project.id, name: 'New', tags: ['a'], idempotency_key: crypto.randomUUID() };
    expect((await agent.use('update_project', given)).project).toMatchObject({ name: 'New', tags: ['a'], description: 'Old' });
    await agent.use('update_project', { project_id: project.id, name: 'Newer' });
    expect((await agent.use('update_project', given)).project.name).toBe('New');
    expect((await agent.use('get_project', { project_id: project.id })).project.name).toBe('Newer');
  });

  test('get_preview_links, get_analytics and list_plans return what the REST API does', async () => {
    const project = await makeProject(ours.api);
    const links = await agent.use('get_preview_links', { project_id: project.id });
    expect(links).toMatchObject({ published_url: null, has_published: false, preview_url: expect.stringMatching(/^http/) });
    const figures = await agent.use('get_analytics', { project_id: project.id, days: 7 });
    expect(figures).toEqual((await ours.api.get(`/analytics?project_id=${project.id}&days=7`)).expect(200).body);
    expect(figures.analytics.dailyViews).toHaveLength(7);
    const { plans } = (await ours.api.get('/plans')).expect(200).body;
    expect((await agent.use('list_plans')).plans).toEqual(plans);
  });

  test.each(['get_project', 'update_project', 'get_preview_links'])(
    '%s does not find the project of another organization',
    async (tool) => {
      const foreign = await makeProject(theirs.api);
      expect(await agent.refusal(tool, { project_id: foreign.id })).toMatch(/^project_not_found: .*list_projects/);
      expect(await agent.refusal('get_analytics', { project_id: foreign.id })).toMatch(/^project_not_found/);
      expect((await agent.use('list_projects', { client_id: foreign.org_client_id })).projects).toEqual([]);
    },
  );

  test('a call that the gateway runs itself gets byte for byte what mcp answers', async () => {
    const { id } = await makeProject(ours.api, undefined, { name: 'Café "Kiln"\u2028' });
    const calls: [tool: string, given?: object][] = [
      ...([['list_plans'], ['list_projects', { limit: 1 }], ['list_projects', { colour: 'red' }]] as [string, object?][]),
      ...[{ project_id: id }, { project_id: unknownId }, {}].map((given): [string, object] => ['get_project', given]),
    ];
    const posted = async (name: string, given: object | undefined, headers: object, key = ours.api.key) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 'é"', method: 'tools/call', params: { name, arguments: given } });
      const all = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
      const response = await fetch(agent.url, { method: 'POST', headers: all, body });
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    // The gateway leaves calls of this revision to mcp.
    const byMcp = { 'mcp-protocol-version': '2024-10-07' };
    for (const [name, given] of calls) expect(await posted(name, given, {})).toEqual(await posted(name, given, byMcp));
    const { key } = ours.writeOnly;
    expect(await posted('list_plans', {}, {}, key)).toEqual(await posted('list_plans', {}, byMcp, key));
  });

  test.each([
    ['get_project', {}, 'project_id: is required'],
    ['get_project', { project_id: 'x' }, 'project_id: must be a UUID'],
    ['list_projects', { limit: 1000 }, 'limit: must be at most 50'],
    ['list_projects', { page: 2 }, 'page: is not a field'],
    ['create_client', { email: 'x' }, 'email: must be an email address'],
    ['create_project', { client_email: 'a@example.com', name: ' ' }, 'name: must not be empty'],
    ['update_project', { project_id: unknownId, status: 'gone' }, 'status: must be one of active, archived'],
    ['get_analytics', { days: 'many' }, 'days: must be a whole number'],
  ])('%s refuses %j in a sentence that names what to correct', async (tool, given, sentence) => {
    const text = await agent.refusal(tool, given);
    expect(text).toMatch(/^validation_failed: /);
    expect(text).toContain(sentence);
    expect(text).toContain('call the tool again');
  });

  test('a page is as long as an agent can read, and its cursor leads to the rest', async () => {
    const other = await agency(undefined, { rateLimit: 10_000 });
    const client = await activeClient(other.api);
    const description = '\u{1f35e}'.repeat(2000);
    for (let count = 0; count < 7; count++) await makeProject(other.api, client, { name: `Site ${count}`, description });
    const lister = new Agent(other.api.key);
    const names: string[] = [];
    for (let cursor: string | undefined, isMore = true; isMore; ) {
      const page = await lister.use('list_projects', cursor === undefined ? {} : { cursor });
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(20_000);
      names.push(...page.projects.map(({ name }: { name: string }) => name));
      cursor = page.next_cursor;
      isMore = page.next_cursor !== null;
    }
    expect(names).toEqual(['Site 6', 'Site 5', 'Site 4', 'Site 3', 'Site 2', 'Site 1', 'Site 0']);
  });
});

describe('the address', () => {
  const resourceMetadata = `${origin}/.well-known/oauth-protected-resource/api/mcp`;
  let ours: Agency;
  let agent: Agent;
  beforeAll(async () => {
    ours = await agency(undefined, { rateLimit: 10_000 });
    agent = new Agent(ours.api.key);
  });
  const fromSomewhere = { 'x-forwarded-for': someAddress() };
  const stranger = new Agent(undefined, { headers: fromSomewhere });
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

  /** The status of a request with a Host header that fetch does not send. */
  const statusFor = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(
        agent.url,
        { method: 'POST', headers: { 'content-type': 'application/json', ...fromSomewhere, ...headers } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject).end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    });

  test('without a token, agents initialize, ping and list; a tool or a file answers 401 with the resource metadata', async () => {
    (await stranger.ask('initialize', initialize)).expect(200);
    for (const method of ['ping', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      expect((await stranger.ask(method)).expect(200).body.result).toBeDefined();
    }
    expect((await stranger.post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status).toBe(202);
    const calls = [
      stranger.ask('tools/call', { name: 'list_plans', arguments: {} }),
      stranger.ask('resources/read', { uri: 'webkiln://openapi.json' }),
    ];
    for (const answer of await Promise.all(calls)) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${resourceMetadata}", scope="mcp"`);
      expect(answer.body.error.data.code).toBe('missing_credential');
    }
  });

  test('a token that is not valid answers 401 to every message, so that a client gets a new one', async () => {
    const { api, keyId } = await ours.makeKey(['read']);
    const revoked = new Agent(api.key);
    (await revoked.ask('tools/list')).expect(200);
    await ours.revokeKey(keyId);
    await ours.eventually(async () => (await revoked.ask('tools/list')).expect(401));
    expect((await new Agent('wk_nonsense').ask('ping')).expect(401).headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('the session of a browser is no credential of an agent', async () => {
    const boss = await owner();
    const browser = new Agent(undefined, { headers: { ...boss.headers(), origin } });
    (await browser.ask('tools/call', { name: 'list_plans' })).expect(401);
  });

  test.each([
    ['Host', { host: 'evil.example' }, 421],
    ['Host with another port', { host: 'localhost:1' }, 403],
    ['Origin', { origin: 'https://evil.example' }, 403],
    ['Origin "null"', { origin: 'null' }, 403],
  ])('a foreign %s is refused, and our own is served', async (_which, headers, status) => {
    expect(await statusFor(headers as unknown as Record<string, string>)).toBe(status);
    expect(await statusFor({ origin })).toBe(200);
  });

  test.each([
    ['malformed JSON', '{"jsonrpc":', 400, -32700],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 400, -32700],
    ['a text', '"tools/list"', 400, -32700],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['a message without a version', '{"id":1,"method":"ping"}', 400, -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tools/burn"}', 200, -32601],
    ['an unknown tool', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"burn"}}', 200, -32602],
  ])('%s is refused with a JSON-RPC error', async (_which, body, status, code) => {
    const answer = (await agent.post(body)).expect(status);
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.stringMatching(/\w/) } });
  });

  test('arguments of more than 1 MB are refused in a sentence', async () => {
    const answer = (await agent.ask('tools/call', { name: 'create_client', arguments: { email: 'x'.repeat(1024 * 1024) } })).expect(413);
    expect(answer.body.error.message).toContain('1 MB is the most');
  });

  test('a form is refused, and so is any method but POST', async () => {
    expect((await agent.post('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(agent.url, { method, headers: { authorization: `Bearer ${ours.api.key}`, accept: 'text/event-stream' } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  test('the session id of initialize goes with further messages; an unknown one answers 404', async () => {
    const id = (await agent.ask('initialize', initialize)).expect(200).headers.get('mcp-session-id') ?? '';
    (await agent.ask('tools/list', {}, { 'mcp-session-id': id })).expect(200);
    for (const unknown of ['1868a90c', `${id}x`, crypto.randomUUID()]) {
      (await agent.ask('tools/list', {}, { 'mcp-session-id': unknown })).expect(404);
    }
    (await agent.ask('initialize', initialize, { 'mcp-session-id': 'unknown' })).expect(200);
  });

  test('a header that names a principal or another process is not taken from a client', async () => {
    const forged = { 'x-webkiln-principal': 'x.y.z', 'x-webkiln-outcome': '200 fine' };
    (await stranger.ask('tools/call', { name: 'list_plans' }, forged)).expect(401);
    (await stranger.ask('tools/list', {}, forged)).expect(200);
  });

  test('messages count on the limit of their credential together with REST requests, and calls over it answer 429', async () => {
    const few = await agency(undefined, { rateLimit: 3 });
    const caller = new Agent(few.api.key);
    (await few.api.get('/plans')).expect(200);
    expect((await caller.ask('tools/call', { name: 'list_plans' })).expect(200).headers.get('x-ratelimit-remaining')).toBe('1');
    (await caller.ask('tools/list')).expect(200);
    const refused = (await caller.ask('tools/call', { name: 'list_plans' })).expect(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.error.data.code).toBe('rate_limited');
  });

  test('a key may use the tools that its permissions allow', async () => {
    const project = await makeProject(ours.api);
    const [reader, writer] = [new Agent(ours.readOnly.key), new Agent(ours.writeOnly.key)];
    await reader.use('get_project', { project_id: project.id });
    expect(await reader.refusal('update_project', { project_id: project.id, name: 'x' })).toMatch(/^permission_missing/);
    await writer.use('update_project', { project_id: project.id, name: 'x' });
    expect(await writer.refusal('get_project', { project_id: project.id })).toMatch(/^permission_missing/);
  });
});

describe('access of agents', () => {
  const path = '/account/agent-access';
  let boss: Person;
  let agent: Agent;
  let program: Api;
  beforeAll(async () => {
    boss = await owner();
    const { secret } = (await boss.api.post('/account/keys', { name: 'agent', permissions: ['read', 'write'] })).expect(201).body;
    agent = new Agent(secret);
    program = new Api(`${boss.platform.origins[0]}/api/v1`, secret);
  });
  const toolsShown = async () =>
    (await agent.ask('tools/list')).expect(200).body.result.tools.map(({ name }: { name: string }) => name) as string[];

  /** Each replica learns of a switch within two seconds, by itself. */
  const refusalOf = (name: string, args?: object) => eventually(() => agent.refusal(name, args));

  test('getAgentAccess, updateAgentAccess: a tool that an owner switches off is neither shown nor run, for agents alone', async () => {
    expect((await boss.api.get(path)).expect(200).body).toEqual({
      agent_access: { is_enabled: true, disabled_tools: [], can_build: false, should_ask_first: true, ask_first_tools: [] },
    });
    const changed = (await boss.api.patch(path, { disabled_tools: ['create_client', 'create_client'] })).expect(200).body;
    expect(changed.agent_access).toEqual({
      is_enabled: true,
      disabled_tools: ['create_client'],
      can_build: false,
      should_ask_first: true,
      ask_first_tools: [],
    });
    await eventually(async () => expect(await toolsShown()).toEqual(agentToolNames.filter((name) => name !== 'create_client')));
    expect(await refusalOf('create_client', { email: someEmail() })).toMatch(/^tool_off: .*owner/);
    await agent.use('list_clients');
    (await program.post('/clients', { email: someEmail() })).expect(201);
    (await boss.api.patch(path, { disabled_tools: [] })).expect(200);
    await eventually(async () => expect(await toolsShown()).toEqual(agentToolNames));
    await eventually(() => agent.use('create_client', { email: someEmail() }));
  });

  test('updateAgentAccess: agents that an owner switches off see no tool, run none and read no file, and REST goes on', async () => {
    const project = await makeProject(program);
    const uri = `webkiln://projects/${project.id}/files/index.html`;
    expect((await agent.ask('resources/read', { uri })).body.error.message).toMatch(/^file_not_found/);
    (await boss.api.patch(path, { is_enabled: false })).expect(200);
    await eventually(async () => expect(await toolsShown()).toEqual([]));
    expect(await refusalOf('list_plans')).toMatch(/^agents_off/);
    await eventually(async () => expect((await agent.ask('resources/read', { uri })).body.error.message).toMatch(/^agents_off/));
    (await program.get('/plans')).expect(200);
    (await boss.api.patch(path, { is_enabled: true })).expect(200);
    await eventually(() => agent.use('list_plans'));
  });

  test('updateAgentAccess: what an owner decides about read_file holds for files as resources, too', async () => {
    const project = await makeProject(program, undefined, { name: `Read ${crypto.randomUUID()}` });
    const uri = `webkiln://projects/${project.id}/files/index.html`;
    const refusal = async () => (await agent.ask('resources/read', { uri })).body.error.message;
    (await boss.api.patch(path, { disabled_tools: ['read_file'] })).expect(200);
    await eventually(async () => expect(await refusal()).toMatch(/^tool_off/));
    (await boss.api.patch(path, { disabled_tools: [], ask_first_tools: ['read_file'] })).expect(200);
    await eventually(async () => expect(await refusal()).toMatch(/^approval_needed/));
    (await boss.api.patch(path, { ask_first_tools: [] })).expect(200);
    await eventually(async () => expect(await refusal()).toMatch(/^file_not_found/));
  });

  test('updateAgentAccess: the switches stop the OAuth tokens of agents on the REST API at every gateway, long before they are looked up again', async () => {
    const { accessToken } = await connectedAgent(boss);
    const gateways = platform.origins.map((each) => new Api(`${each}/api/v1`, accessToken));
    const everywhere = (check: (api: Api) => Promise<unknown>) =>
      Promise.all(gateways.map((api) => eventually(() => check(api), broadcastMs)));
    const invite = (api: Api) => api.post('/clients', { email: someEmail() });
    for (const api of gateways) (await invite(api)).expect(201);

    (await boss.api.patch(path, { disabled_tools: ['create_client'] })).expect(200);
    await everywhere(async (api) => (await invite(api)).expect(403, 'tool_off'));
    for (const api of gateways) (await api.get('/clients')).expect(200);

    (await boss.api.patch(path, { is_enabled: false, disabled_tools: [] })).expect(200);
    await everywhere(async (api) => (await invite(api)).expect(403, 'agents_off'));
    for (const api of gateways) {
      for (const read of ['/clients', '/projects', '/templates', '/plans', '/analytics']) (await api.get(read)).expect(403, 'agents_off');
    }
    (await program.get('/clients')).expect(200);

    (await boss.api.patch(path, { is_enabled: true })).expect(200);
    await everywhere(async (api) => (await invite(api)).expect(201));
  });

  test('updateAgentAccess: the change is in the audit log, and an unknown tool is refused in a sentence', async () => {
    const refused = (await boss.api.patch(path, { disabled_tools: ['burn'] })).expect(400, 'validation_failed');
    expect(refused.body.error).toContain('disabled_tools.0: must be one of');
    await eventually(async () => {
      const { entries } = (await boss.api.get('/account/audit?limit=100')).expect(200).body;
      const names = entries
        .filter(({ action }: { action: string }) => action === 'organization.changed')
        .map(({ target }: { target: { name: string } }) => target.name);
      expect(names).toEqual(expect.arrayContaining([expect.stringContaining('disabled_tools'), expect.stringContaining('agents_enabled')]));
    });
  });
});
