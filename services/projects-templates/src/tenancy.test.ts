import { randomUUID } from 'node:crypto';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
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

const onProject = {
  GetProject: (caller, project_id) => call('projects.GetProject', { project_id }, caller),
  UpdateProject: (caller, project_id) => call('projects.UpdateProject', { project_id, name: 'Theirs', update_mask: ['name'] }, caller),
  DeleteProject: (caller, project_id) => call('projects.DeleteProject', { project_id }, caller),
  ListProjectFiles: (caller, project_id) => call('projects.ListProjectFiles', { project_id }, caller),
  GetProjectFile: (caller, project_id) => call('projects.GetProjectFile', { project_id, path: 'index.html' }, caller),
  WriteDraft: (caller, project_id) =>
    call('projects.WriteDraft', { project_id, files: [] }, { ...caller, principal: operator(stranger).principal }),
} satisfies Record<string, (caller: Caller, project_id: string) => Promise<unknown>>;

const onTemplate = {
  GetTemplate: (caller, template_id) => call('templates.GetTemplate', { template_id }, caller),
  UpdateTemplate: (caller, template_id) => call('templates.UpdateTemplate', { template_id, name: 'Theirs', update_mask: ['name'] }, caller),
  DeleteTemplate: (caller, template_id) => call('templates.DeleteTemplate', { template_id }, caller),
  ListTemplateFiles: (caller, template_id) => call('templates.ListTemplateFiles', { template_id }, caller),
  GetTemplateFile: (caller, template_id) => call('templates.GetTemplateFile', { template_id, path: 'index.html' }, caller),
} satisfies Record<string, (caller: Caller, template_id: string) => Promise<unknown>>;

test.each(Object.entries(onProject))("%s answers project_not_found for another organization's project", async (_, method) => {
  for (const id of [project, randomUUID()]) await expect(method(testCaller(stranger), id)).rejects.toEqual(refusal('project_not_found'));
});

test.each(Object.entries(onTemplate))("%s answers template_not_found for another organization's template", async (_, method) => {
  for (const id of [template, randomUUID()]) await expect(method(testCaller(stranger), id)).rejects.toEqual(refusal('template_not_found'));
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
