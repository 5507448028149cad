import { agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform[Symbol.asyncDispose]());

test('while mcp is away agents get a 503 that says when to come back, REST goes on, and mcp serves again once it is back', async () => {
  const ours = await agency(platform.facts, { rateLimit: 10_000 });
  const agent = new Agent(ours.api.key, { origin: platform.facts.origins[0] ?? '' });
  expect(await agent.use('list_plans')).toMatchObject({ plans: [] });
  await platform.stopProcess('mcp');
  for (const method of ['tools/list', 'ping']) {
    const refused = (await agent.ask(method)).expect(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'unavailable' } } });
  }
  (await ours.api.get('/plans')).expect(200);
  await platform.startProcess('mcp');
  await eventually(async () => expect(await agent.use('list_plans')).toMatchObject({ plans: [] }));
});

test('a session id of before serves after every process of mcp and the gateway was killed', async () => {
  const ours = await agency(platform.facts, { rateLimit: 10_000 });
  const agent = new Agent(ours.api.key, { origin: platform.facts.origins[0] ?? '' });
  const clientInfo = { name: 'long-lived', version: '1' };
  const answer = (await agent.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })).expect(200);
  const session = { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
  await platform.replace('mcp');
  await platform.replace('gateway');
  await eventually(async () => (await agent.ask('tools/call', { name: 'list_plans', arguments: {} }, session)).expect(200));
});

test('a tool whose service is away tells the agent to repeat the call, and its repeat takes effect once', async () => {
  const ours = await agency(platform.facts, { rateLimit: 10_000 });
  const agent = new Agent(ours.api.key, { origin: platform.facts.origins[0] ?? '' });
  const given = { email: `client-${crypto.randomUUID()}@example.test`, idempotency_key: crypto.randomUUID() };
  await platform.stopProcess('clients-plans');
  expect(await agent.refusal('create_client', given)).toMatch(/^unavailable: .*same idempotency_key/);
  await platform.startProcess('clients-plans');
  const { client } = await eventually(() => agent.use('create_client', given));
  expect((await agent.use('create_client', given)).client).toEqual(client);
  expect((await agent.use('list_clients')).clients).toMatchObject([{ id: client.id }]);
});
