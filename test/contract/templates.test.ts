import { randomUUID } from 'node:crypto';
import { Template } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { makeProject, makeTemplate } from './fixtures.ts';

let ours: Agency;
beforeAll(async () => {
  ours = await agency();
});

test('POST /templates answers 201 with exactly the fields of the contract and its defaults', async () => {
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

test('POST /templates stores the category in lower case', async () => {
  expect((await makeTemplate(ours.api, { category: 'Food & Drink' })).category).toBe('food & drink');
});

test('POST /templates with a source_project_id that is unknown or of another organization is 400', async () => {
  const foreign = await makeProject((await agency()).api);
  for (const source_project_id of [randomUUID(), foreign.id]) {
    (await ours.api.post('/templates', { name: 'A', source_project_id })).expect(400, 'source_project_unknown');
  }
});

test('a template keeps the files of the moment: later drafts of its source do not change it', async () => {
  const source = await makeProject(ours.api);
  await ours.writeDraft(source.id, { 'index.html': 'first' });
  const template = await makeTemplate(ours.api, { source_project_id: source.id });
  await ours.writeDraft(source.id, { 'index.html': 'second' });
  expect(await (await ours.api.raw(`/templates/${template.id}/files/index.html`)).text()).toBe('first');
});

test('GET /templates lists the own templates newest first', async () => {
  const { api } = await agency();
  const first = await makeTemplate(api);
  const second = await makeTemplate(api);
  const { body } = (await api.get('/templates')).expect(200);
  expect(body).toMatchObject({ templates: [{ id: second.id }, { id: first.id }], total: 2 });
});

test('GET /templates/{templateId} answers 200 with the template', async () => {
  const template = await makeTemplate(ours.api);
  expect((await ours.api.get(`/templates/${template.id}`)).expect(200).body).toEqual({ template });
});

test('PATCH /templates/{templateId} changes the fields of the body alone', async () => {
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

test('PATCH /templates/{templateId} refuses a thumbnail_url that is no web address', async () => {
  const template = await makeTemplate(ours.api);
  (await ours.api.patch(`/templates/${template.id}`, { thumbnail_url: 'javascript:alert(1)' })).expect(400, 'validation_failed');
});

test('DELETE /templates/{templateId} answers 200 {deleted, id}, a repeat 404, and leaves projects made from it as they are', async () => {
  const source = await makeProject(ours.api);
  await ours.writeDraft(source.id, { 'index.html': 'kept' });
  const { id } = await makeTemplate(ours.api, { source_project_id: source.id });
  const copy = await makeProject(ours.api, undefined, { template_id: id });
  expect((await ours.api.delete(`/templates/${id}`)).expect(200).body).toEqual({ deleted: true, id });
  (await ours.api.delete(`/templates/${id}`)).expect(404, 'template_not_found');
  expect(await (await ours.api.raw(`/projects/${copy.id}/files/index.html`)).text()).toBe('kept');
});
