import { randomUUID } from 'node:crypto';
import { operations } from '@webkiln/contract';
import { call, type MethodName } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newProject, newTemplate, operator, refusal, textsOf, writeDraft } from './testing/calls.ts';
import { fakeClient } from './testing/fake-clients-plans.ts';
import { useProjectsTemplates } from './testing/running-service.ts';

useProjectsTemplates();

const [owner, stranger] = [randomUUID(), randomUUID()];
let [project, template] = ['', ''];

beforeAll(async () => {
  project = (await newProject(owner, { name: 'Ours' })).id;
  await writeDraft(owner, project, { 'index.html': 'ours' });
  template = (await newTemplate(owner, { name: 'Ours', source_project_id: project })).id;
});

/** The operations of the contract that name a project or a template, which this service serves. */
const onRecords = Object.entries(operations).filter(
  ([, { rpc, path }]) => /^(projects|templates)\./.test(rpc) && /\{(projectId|templateId)\}/.test(path),
);
const isMissing = (code: string) => code.endsWith('_not_found');

test.each(onRecords)("%s finds neither another organization's record nor an unknown one", async (_name, { rpc, errors }) => {
  const request = { name: 'Theirs', domain: 'www.theirs.com', update_mask: ['name'], path: 'index.html', limit: 50, offset: 0 };
  const others = { revision_id: randomUUID(), deploy_id: randomUUID(), domain_id: randomUUID() };
  const { principal } = testCaller(stranger);
  const person = testCaller(stranger, { principal: { ...principal, kind: 'session', role: 'owner', account_id: randomUUID() } });
  for (const ids of [
    { project_id: project, template_id: template },
    { project_id: randomUUID(), template_id: randomUUID() },
  ]) {
    const outcome = await call(rpc as MethodName, { ...request, ...others, ...ids } as never, person).catch(({ code }) => code);
    expect(errors.filter(isMissing)).toContain(outcome);
  }
});

test('the service itself keeps a credential of one project from every other one, even if the gateway lets it pass', async () => {
  const own = (await newProject(owner, { name: 'Limited' })).id;
  const { principal } = testCaller(owner);
  const limited = testCaller(owner, { principal: { ...principal, project_id: own } });
  const read = (project_id: string) => call('projects.GetProject', { project_id }, limited);
  expect(await read(own)).toMatchObject({ project: { name: 'Limited' } });
  for (const other of [project, randomUUID()]) await expect(read(other)).rejects.toEqual(refusal('project_not_found'));
  expect((await call('projects.ListProjects', { limit: 50, q: '' }, limited)).projects.map(({ id }) => id)).toEqual([own]);
  const others = call('templates.ListTemplates', {}, limited);
  await expect(others).rejects.toEqual(refusal('project_restricted'));
});

test("an operator who names another organization does not reach a project's draft", async () => {
  const write = call('projects.WriteDraft', { project_id: project, files: [] }, operator(stranger));
  await expect(write).rejects.toEqual(refusal('project_not_found'));
});

test('no project or template can be created from them', async () => {
  await expect(newProject(stranger, { template_id: template })).rejects.toEqual(refusal('template_not_found'));
  await expect(newTemplate(stranger, { source_project_id: project })).rejects.toEqual(refusal('source_project_unknown'));
});

test('lists and filters contain nothing of another organization', async () => {
  const { projects } = await call('projects.ListProjects', { limit: 50 }, testCaller(owner));
  const client_id = projects[0]?.org_client_id;
  expect(client_id).toBeDefined();
  for (const wanted of [{}, { client_id }, { q: 'Ours' }, { status: 'active' }]) {
    expect(await call('projects.ListProjects', { limit: 50, ...wanted }, testCaller(stranger))).toEqual({
      projects: [],
      total: 0,
      next_cursor: '',
    });
  }
  expect(await call('templates.ListTemplates', {}, testCaller(stranger))).toEqual({ templates: [], total: 0, next_cursor: '' });
});

test("a key uses up no site slots of another organization's client", async () => {
  const client = fakeClient(owner, { max_sites: 1 });
  await expect(newProject(stranger, { client })).rejects.toEqual(refusal('client_not_found'));
  await newProject(owner, { client });
});

test('those attempts changed nothing', async () => {
  expect(await call('projects.GetProject', { project_id: project }, testCaller(owner))).toMatchObject({ project: { name: 'Ours' } });
  expect(await call('templates.GetTemplate', { template_id: template }, testCaller(owner))).toMatchObject({ template: { name: 'Ours' } });
  expect(await textsOf(owner, { project_id: project })).toEqual({ 'index.html': 'ours' });
  expect(await textsOf(owner, { template_id: template })).toEqual({ 'index.html': 'ours' });
});
