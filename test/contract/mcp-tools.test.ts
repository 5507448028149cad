import { agentToolNames } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { activeClient, inviteClient, makePlan, makeProject, makeTemplate, someEmail } from './fixtures.ts';

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

test.each(['get_project', 'update_project', 'get_preview_links'])('%s does not find the project of another organization', async (tool) => {
  const foreign = await makeProject(theirs.api);
  expect(await agent.refusal(tool, { project_id: foreign.id })).toMatch(/^project_not_found: .*list_projects/);
  expect(await agent.refusal('get_analytics', { project_id: foreign.id })).toMatch(/^project_not_found/);
  expect((await agent.use('list_projects', { client_id: foreign.org_client_id })).projects).toEqual([]);
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
