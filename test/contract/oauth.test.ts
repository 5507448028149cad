import { randomUUID } from 'node:crypto';
import { agency, broadcastMs, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api } from '../harness/api.ts';
import { connectedAgent } from '../harness/connected-agent.ts';
import { mailedLink, mailsTo } from '../harness/mails.ts';
import { lockAccount, resume, suspend } from '../harness/operator.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser, findMember, newMember } from '../harness/team.ts';
import { activeClient, makeProject } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

// Operators' calls need the keys of an agency's platform.
beforeAll(agency);

test('the metadata of the authorization server and of both resources is wherever clients look, whatever Host is sent', async () => {
  const read = async (path: string) => (await fetch(origin + path, { headers: { 'x-forwarded-host': 'evil.example' } })).json();
  for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']) {
    for (const place of [path, `${path}/api/mcp`, `${path}/api/v1`, `/api/mcp${path}`])
      expect([place, await read(place)]).toMatchObject([place, { issuer: origin, token_endpoint: `${origin}/oauth/token` }]);
  }
  const path = '/.well-known/oauth-protected-resource';
  for (const [place, resource] of [
    [path, '/api/mcp'],
    [`${path}/api/mcp`, '/api/mcp'],
    [`${path}/api/v1`, '/api/v1'],
    [`/api/mcp${path}`, '/api/mcp'],
  ]) {
    expect([place, await read(place ?? '')]).toMatchObject([place, { resource: `${origin}${resource}`, authorization_servers: [origin] }]);
  }
});

test('a request without a credential learns where its resource says how to get a token, for the API and for MCP', async () => {
  for (const [method, resource] of [
    ['GET', '/api/v1/plans'],
    ['POST', '/api/mcp'],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_plans' } });
    const headers = { 'content-type': 'application/json' };
    const refused = await fetch(origin + resource, { method, headers, ...(method === 'POST' && { body }) });
    const [, metadata = ''] = /^Bearer .*resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const described = (await (await fetch(metadata)).json()) as { resource: string };
    expect([refused.status, resource.startsWith(new URL(described.resource).pathname)]).toEqual([401, true]);
  }
});

test('an OAuth token of either resource works on the API within the role of its person, and not where only people may', async () => {
  const boss = await owner();
  const developer = await newMember(boss, 'developer');
  const viewer = await newMember(boss, 'viewer');
  const [forMcp, forApi] = [await connectedAgent(developer), await connectedAgent(developer, { resource: `${origin}/api/v1` })];
  for (const { api } of [forMcp, forApi]) {
    const project = await makeProject(api);
    expect((await boss.api.get(`/projects/${project.id}`)).expect(200).body.project.id).toBe(project.id);
    (await api.get('/account/session')).expect(403, 'session_required');
    (await api.get('/account/keys')).expect(403, 'oauth_token_refused');
    (await api.post('/account/keys', { name: 'A', permissions: ['read'] })).expect(403, 'oauth_token_refused');
  }
  (await forMcp.api.post('/plans', { name: 'Care', price: 1 })).expect(
    (await developer.api.post('/plans', { name: 'Care', price: 1 })).status,
  );
  const reading = await connectedAgent(viewer);
  (await reading.api.get('/projects')).expect(200);
  (await reading.api.post('/clients', { email: `${randomUUID()}@example.com` })).expect(403, 'role_missing');
});

test("a token of a client's user reaches its own projects alone", async () => {
  const boss = await owner();
  const { person, client } = await clientUser(boss);
  const own = await makeProject(boss.api, client);
  const other = await makeProject(boss.api);
  const { api } = await connectedAgent(person);
  (await api.get(`/projects/${own.id}`)).expect(200);
  (await api.get(`/projects/${other.id}`)).expect(404, 'project_not_found');
  expect((await api.get('/projects')).expect(200).body.total).toBe(1);
  (await api.get('/clients')).expect(403, 'role_missing');
});

test('a token for one project reaches that one alone, on the API and by tools, and the list of agents says so', async () => {
  const boss = await owner();
  const [own, other] = await Promise.all([makeProject(boss.api), makeProject(boss.api)]);
  const { api, accessToken } = await connectedAgent(boss, { scope: 'mcp', limit: { project: own.id } });
  (await api.get(`/projects/${own.id}`)).expect(200);
  (await api.patch(`/projects/${own.id}`, { name: 'Limited' })).expect(200);
  expect((await api.get(`/projects/${other.id}`)).expect(404).body.error).toBe((await api.get(`/projects/${randomUUID()}`)).body.error);
  expect((await api.get('/projects')).expect(200).body).toMatchObject({ total: 1, projects: [{ id: own.id }] });
  for (const query of ['', `?project_id=${own.id}`]) (await api.get(`/analytics${query}`)).expect(200);
  (await api.get(`/analytics?project_id=${other.id}`)).expect(404, 'project_not_found');
  (await api.get('/clients')).expect(403, 'project_restricted');
  (await api.post('/projects', {})).expect(403, 'project_restricted');
  // What its person did not allow is still asked for step by step.
  (await api.get(`/projects/${own.id}/forms`)).expect(403, 'insufficient_scope');

  const agent = new Agent(accessToken);
  const { tools } = (await agent.ask('tools/list')).expect(200).body.result as {
    tools: { name: string; inputSchema: { properties: object } }[];
  };
  expect(tools.map(({ name }) => name)).toEqual(['get_project', 'update_project', 'get_preview_links', 'get_analytics']);
  for (const { inputSchema } of tools) expect(inputSchema.properties).not.toHaveProperty('project_id');
  expect((await agent.use('get_project')).project.name).toBe('Limited');
  const refusals = await Promise.all([other.id, randomUUID()].map((project_id) => agent.refusal('get_project', { project_id })));
  expect(new Set(refusals)).toEqual(new Set([expect.stringContaining('names another project')]));
  const elsewhere = new Agent(accessToken, { query: `?project=${other.id}` });
  expect(await elsewhere.refusal('get_project', {})).toMatch(/^project_not_found/);
  expect((await boss.api.get('/account/agents')).expect(200).body.agents).toMatchObject([{ project_id: own.id }]);
});

test('a token for one client reaches its websites alone, by what the client itself may; one for no client is invalid', async () => {
  const boss = await owner();
  const [client, other] = await Promise.all([activeClient(boss.api), activeClient(boss.api)]);
  const [own, foreign] = await Promise.all([makeProject(boss.api, client), makeProject(boss.api, other)]);
  const { api, accessToken } = await connectedAgent(boss, { scope: 'mcp', limit: { client: client.id } });
  (await api.patch(`/projects/${own.id}`, { name: 'Limited' })).expect(200);
  (await api.get(`/projects/${foreign.id}`)).expect(404, 'project_not_found');
  expect((await api.get('/projects')).expect(200).body).toMatchObject({ total: 1, projects: [{ id: own.id }] });
  for (const path of ['/clients', '/plans', `/clients/${client.id}`]) (await api.get(path)).expect(403, 'key_restricted');
  (await api.post('/projects', { client_email: client.email, name: 'More' })).expect(403, 'key_restricted');
  const agent = new Agent(accessToken);
  expect((await agent.use('list_projects')).projects.map(({ id }: { id: string }) => id)).toEqual([own.id]);
  expect(await agent.refusal('get_project', { project_id: foreign.id })).toMatch(/^project_not_found/);
  expect(await agent.refusal('create_client', { email: 'a@example.com' })).toMatch(/^key_restricted/);
  expect((await boss.api.get('/account/agents')).expect(200).body.agents).toMatchObject([{ client_id: client.id, project_id: null }]);
  const ofNobody = await connectedAgent(boss, { limit: { client: randomUUID() } });
  (await ofNobody.api.get('/projects')).expect(401);
});

test('ids of another organization are unknown to a token, byte for byte', async () => {
  const [ada, bob] = await Promise.all([owner(), owner()]);
  const project = await makeProject(bob.api);
  const { api } = await connectedAgent(ada);
  const answers = await Promise.all(
    [project.id, randomUUID()].map(async (id) => {
      const response = await api.raw(`/projects/${id}`, { headers: { 'x-request-id': 'the-same' } });
      return [response.status, await response.text()];
    }),
  );
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.[0]).toBe(404);
});

test.each(['wko_', `wko_${'0'.repeat(49)}`, 'wko_something'])('a malformed token is refused: %s', async (token) => {
  (await new Api(`${origin}/api/v1`, token).get('/projects')).expect(401, 'invalid_token');
});

test('a revoked agent is refused at every gateway long before its token is looked up again', async () => {
  const ada = await owner();
  const agent = await connectedAgent(ada);
  const gateways = platform.origins.map((each) => new Api(`${each}/api/v1`, agent.accessToken));
  for (const api of gateways) (await api.get('/projects')).expect(200);
  expect((await agent.post('/oauth/revoke', { token: agent.refreshToken, client_id: agent.clientId })).status).toBe(200);
  for (const api of gateways) await eventually(async () => (await api.get('/projects')).expect(401, 'invalid_token'), broadcastMs);
});

test('a refresh token that is used twice ends the access: the log of the organization says so, and a mail to the person', async () => {
  const ada = await owner();
  const agent = await connectedAgent(ada);
  const refresh = async (refresh_token: string) => {
    const form = { grant_type: 'refresh_token', refresh_token, client_id: agent.clientId };
    return (await (await agent.post('/oauth/token', form)).json()) as { refresh_token?: string; error?: string };
  };
  const { refresh_token = '' } = await refresh(agent.refreshToken);
  expect(await refresh(refresh_token)).toHaveProperty('access_token');
  expect(await refresh(agent.refreshToken)).toMatchObject({ error: 'invalid_grant' });
  await eventually(async () => {
    const { entries } = (await ada.api.get('/account/audit')).expect(200).body;
    expect(entries.filter(({ action }: { action: string }) => action === 'agent.token_reused')).toMatchObject([
      { actor: { email: ada.email }, target: { kind: 'agent', name: 'Test agent' } },
    ]);
  });
  const mail = await eventually(() => {
    const found = mailsTo(platform, ada.email).find((each) => each.includes('A token of Test agent was used twice'));
    if (found === undefined) throw new Error('no mail yet');
    return found;
  });
  expect(mail).toContain('acts for you in Studio');
  expect(mail).toContain(`${origin}/agents`);
});

test('listAgents, disconnectAgent: list the agents of the account with their last use, and end the tokens of one at once', async () => {
  const ada = await owner();
  const [kept, dropped] = [await connectedAgent(ada), await connectedAgent(ada)];
  for (const { api } of [kept, dropped]) (await api.get('/projects')).expect(200);
  const { agents } = await eventually(async () => {
    const { body } = (await ada.api.get('/account/agents')).expect(200);
    expect(body.agents.map((agent: { last_used_at: unknown }) => typeof agent.last_used_at)).toEqual(['string', 'string']);
    return body;
  });
  expect(agents[0]).toMatchObject({
    client_name: 'Test agent',
    redirect_host: 'agent.example',
    organization: `Studio ${ada.email}`,
    scopes: ['mcp'],
  });
  const [{ id }] = agents;
  (await (await owner()).api.delete(`/account/agents/${id}`)).expect(404, 'agent_not_found');
  (await ada.api.delete(`/account/agents/${id}`)).expect(200);
  await eventually(async () => (await dropped.api.get('/projects')).expect(401, 'invalid_token'), broadcastMs);
  (await kept.api.get('/projects')).expect(200);
  (await ada.api.delete(`/account/agents/${id}`)).expect(404, 'agent_not_found');
  await eventually(async () => {
    const { entries } = (await ada.api.get('/account/audit')).expect(200).body;
    const actions = entries.map(({ action }: { action: string }) => action).filter((action: string) => action.startsWith('agent.'));
    expect(actions.toSorted()).toEqual(['agent.connected', 'agent.connected', 'agent.revoked']);
  });
});

test('a removed member, a locked account and a suspended organization end or stop the access of agents', async () => {
  const boss = await owner();
  const developer = await newMember(boss, 'developer');
  const [removed, paused] = [await connectedAgent(developer), await owner()];
  const stopped = await connectedAgent(paused);
  for (const { api } of [removed, stopped]) (await api.get('/projects')).expect(200);
  (await boss.api.delete(`/account/members/${(await findMember(developer, boss)).id}`)).expect(200);
  await eventually(async () => (await removed.api.get('/projects')).expect(401, 'invalid_token'), broadcastMs);
  const { body } = (await paused.api.get('/account/session')).expect(200);
  await suspend(body.organization.id);
  await eventually(async () => (await stopped.api.get('/projects')).expect(403, 'organization_suspended'));
  await resume(body.organization.id);
  await eventually(async () => (await stopped.api.get('/projects')).expect(200));
  await lockAccount(paused.email);
  await eventually(async () => (await stopped.api.get('/projects')).expect(401, 'invalid_token'));
});

test.each(['a change', 'a reset by mail'])(
  'a new password by %s ends all agents of the person, and the mail about it names them',
  async (way) => {
    const ada = await owner();
    const [agent, other] = [await connectedAgent(ada), await connectedAgent(await owner())];
    for (const { api } of [agent, other]) (await api.get('/projects')).expect(200);
    const newPassword = 'the new password';
    if (way === 'a change') {
      (await ada.auth('/change-password', { currentPassword: ada.password, newPassword })).expect(200);
    } else {
      (await ada.auth('/request-password-reset', { email: ada.email })).expect(200);
      const link = await mailedLink(platform, ada.email, /http\S+\/reset-password\?token=[^\s"]+/);
      (await ada.auth('/reset-password', { token: new URL(link).searchParams.get('token'), newPassword })).expect(200);
    }
    await eventually(async () => (await agent.api.get('/projects')).expect(401, 'invalid_token'), broadcastMs);
    const refreshed = await agent.post('/oauth/token', {
      ...{ grant_type: 'refresh_token', refresh_token: agent.refreshToken, client_id: agent.clientId },
    });
    expect([refreshed.status, await refreshed.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })]);
    (await other.api.get('/projects')).expect(200);
    await eventually(() => {
      const mail = mailsTo(platform, ada.email).find((each) => each.includes('Your password was changed'));
      expect(mail).toContain('disconnected the agents that acted for you: Test agent.');
    });
    (await ada.signIn(newPassword)).expect(200);
    expect((await ada.api.get('/account/agents')).expect(200).body.agents).toEqual([]);
  },
);

test("the request log names the agent, and a token's requests count on a window of their own", async () => {
  const ada = await owner();
  const { api } = await connectedAgent(ada);
  const response = (await api.get('/projects')).expect(200);
  expect(response.headers.get('x-ratelimit-remaining')).toBe(String(Number(response.headers.get('x-ratelimit-limit')) - 1));
  await eventually(async () => {
    const { requests } = (await ada.api.get('/account/requests?credential=oauth_token')).expect(200).body;
    expect(requests[0]).toMatchObject({ route: '/projects', credential: { kind: 'oauth_token', name: 'Test agent' } });
  });
});
