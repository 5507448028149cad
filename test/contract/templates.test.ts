import { randomUUID } from 'node:crypto';
import { Template } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { makeProject, makeTemplate } from './fixtures.ts';

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

test('createTemplate: answers 201 with exactly the contract fields and their defaults', async () => {
  const { body } = (await ours.api.post('/templates', { name: 'Starter' })).expect(201);
  expect(Object.keys(body)).toEqual(['template']);
  expect(Object.keys(body.template).sort()).toEqual(Object.keys(Template.shape).sort());
  expect(body.template).toMatchObject({
    name: 'Starter',
    description: null,
    category: 'general',
    thumbnail_url: null,
    is_public: false,
    is_featured: false,
    org_id: ours.organization.id,
  });
});

test('createTemplate: stores the category in lower case', async () => {
  expect((await makeTemplate(ours.api, { category: 'Food & Drink' })).category).toBe('food & drink');
});

test('createTemplate: answers 400 to a source_project_id that is unknown or of another organization', async () => {
  const foreign = await makeProject((await agency()).api);
  for (const source_project_id of [randomUUID(), foreign.id]) {
    (await ours.api.post('/templates', { name: 'A', source_project_id })).expect(400, 'source_project_unknown');
  }
});

test('createTemplate, getTemplateFile: copy the files, so later drafts of the source do not change the template', async () => {
  const source = await makeProject(ours.api);
  await ours.writeDraft(source.id, { 'index.html': 'first' });
  const template = await makeTemplate(ours.api, { source_project_id: source.id });
  await ours.writeDraft(source.id, { 'index.html': 'second' });
  expect(await (await ours.api.raw(`/templates/${template.id}/files/index.html`)).text()).toBe('first');
});

test('listTemplates: lists the templates of the organization, newest first', async () => {
  const { api } = await agency();
  const first = await makeTemplate(api);
  const second = await makeTemplate(api);
  const { body } = (await api.get('/templates')).expect(200);
  expect(body).toMatchObject({ templates: [{ id: second.id }, { id: first.id }], total: 2 });
});

test('getTemplate: answers 200 with the template', async () => {
  const template = await makeTemplate(ours.api);
  expect((await ours.api.get(`/templates/${template.id}`)).expect(200).body).toEqual({ template });
});

test('updateTemplate: changes only the fields in the body', async () => {
  const template = await makeTemplate(ours.api);
  const change = {
    name: 'New',
    description: 'D',
    category: 'shop',
    thumbnail_url: 'https://example.test/t.png',
    is_public: true,
    is_featured: true,
  };
  expect((await ours.api.patch(`/templates/${template.id}`, change)).expect(200).body.template).toEqual({ ...template, ...change });
});

test('updateTemplate: answers 400 to a thumbnail_url that is not a web address', async () => {
  const template = await makeTemplate(ours.api);
  (await ours.api.patch(`/templates/${template.id}`, { thumbnail_url: 'javascript:alert(1)' })).expect(400, 'validation_failed');
});

test('deleteTemplate: answers 200 {deleted, id}, then 404, and leaves projects created from it as they are', async () => {
  const source = await makeProject(ours.api);
  await ours.writeDraft(source.id, { 'index.html': 'kept' });
  const { id } = await makeTemplate(ours.api, { source_project_id: source.id });
  const copy = await makeProject(ours.api, undefined, { template_id: id });
  expect((await ours.api.delete(`/templates/${id}`)).expect(200).body).toEqual({ deleted: true, id });
  (await ours.api.delete(`/templates/${id}`)).expect(404, 'template_not_found');
  expect(await (await ours.api.raw(`/projects/${copy.id}/files/index.html`)).text()).toBe('kept');
});
