import { agentToolNames } from '@webkiln/contract';
import { type Agency, agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { owner } from '../harness/person.ts';
import { someAddress } from './fixtures.ts';

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

test('a batch is refused at the entrance, where each message is counted', async () => {
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
