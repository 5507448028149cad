import { agentToolNames } from '@webkiln/contract';
import { eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { Api } from '../harness/api.ts';
import { owner, type Person } from '../harness/person.ts';
import { makeProject, someEmail } from './fixtures.ts';

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
  expect((await boss.api.get(path)).expect(200).body).toEqual({ agent_access: { is_enabled: true, disabled_tools: [] } });
  const changed = (await boss.api.patch(path, { disabled_tools: ['create_client', 'create_client'] })).expect(200).body;
  expect(changed.agent_access).toEqual({ is_enabled: true, disabled_tools: ['create_client'] });
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

test('updateAgentAccess: the change is in the audit log, and an unknown tool is refused in a sentence', async () => {
  const refused = (await boss.api.patch(path, { disabled_tools: ['burn'] })).expect(400, 'validation_failed');
  expect(refused.body.error).toContain('disabled_tools.0: must be one of');
  const { entries } = (await boss.api.get('/account/audit?limit=100')).expect(200).body;
  const names = entries
    .filter(({ action }: { action: string }) => action === 'organization.changed')
    .map(({ target }: { target: { name: string } }) => target.name);
  expect(names).toEqual(expect.arrayContaining([expect.stringContaining('disabled_tools'), expect.stringContaining('agents_enabled')]));
});
