import { agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { connectedAgent } from '../harness/connected-agent.ts';
import { owner } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser, newMember } from '../harness/team.ts';
import { makeProject, someEmail } from './fixtures.ts';

const [origin = ''] = sharedPlatform().origins;

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
