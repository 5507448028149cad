import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api, type Json } from '../harness/api.ts';
import { owner, type Person } from '../harness/person.ts';
import { activeClient, someEmail } from './fixtures.ts';

let boss: Person;
let key: { id: string; secret: string };
beforeAll(async () => {
  boss = await owner();
  const { key: made, secret } = (await boss.api.post('/account/keys', { name: 'agent', permissions: ['read', 'write'] })).expect(201).body;
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
  const modern = new Client({ name: 'Next', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${key.secret}` } };
  await modern.connect(new StreamableHTTPClientTransport(new URL(agent.url), { requestInit }));
  const { project } = (await modern.callTool({ name: 'create_project', arguments: { client_email: email, name: 'Shop' } }))
    .structuredContent as Json;
  await modern.callTool({ name: 'update_project', arguments: { project_id: project.id, name: 'Store' } });
  await modern.close();
  const acts = await audited(project.id, 2);
  expect(acts).toMatchObject([
    { action: 'project.changed', actor: { agent: 'Next' }, target: { name: 'Store' } },
    { action: 'project.created', actor: { agent: 'Next' }, target: { name: 'Shop' } },
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
