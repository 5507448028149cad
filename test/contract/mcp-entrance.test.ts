import { request } from 'node:http';
import { type Agency, agency } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { makeProject, someAddress } from './fixtures.ts';

const [origin = ''] = sharedPlatform().origins;
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
  ['Host', { host: 'evil.example' }],
  ['Host with another port', { host: 'localhost:1' }],
  ['Origin', { origin: 'https://evil.example' }],
  ['Origin "null"', { origin: 'null' }],
])('a foreign %s answers 403, and our own is served', async (_which, headers) => {
  expect(await statusFor(headers as unknown as Record<string, string>)).toBe(403);
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
