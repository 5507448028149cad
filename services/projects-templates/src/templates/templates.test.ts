import { randomUUID } from 'node:crypto';
import { call, type RequestOf } from '@webkiln/rpc';
import { nextMillisecond, requestsOn, testCaller } from '@webkiln/store/testing';
import { newProject, newTemplate, refusal, repeatable, textsOf, writeDraft } from '../testing/calls.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { createTemplate } from './template-use-cases.ts';

const stream = useProjectsTemplates();

// The rule as it would be if changes of templates had an event of their own.
jest.mock('./template.ts', () => {
  const rules = jest.requireActual('./template.ts');
  const raised = ({ _id }: { _id: string }) => [{ type: 'internal.site.changed', data: { project_id: _id, name: 'raised' } }];
  const changeTemplate = (template: { _id: string }, wanted: object) =>
    rules.changeTemplate(template, wanted)?.withEvents(raised(template)) ?? null;
  return { ...rules, changeTemplate };
});

const create = (org: string, wanted: RequestOf<'templates.CreateTemplate'> = {}) =>
  call('templates.CreateTemplate', { name: 'Template', is_public: false, ...wanted }, testCaller(org));

const read = (org: string, template_id: string) => call('templates.GetTemplate', { template_id }, testCaller(org));

const update = (
  org: string,
  template_id: string,
  change: Omit<RequestOf<'templates.UpdateTemplate'>, 'template_id' | 'update_mask'>,
  ifMatch?: string,
) => call('templates.UpdateTemplate', { template_id, ...change, update_mask: Object.keys(change) }, testCaller(org, { ifMatch }));

const remove = (org: string, template_id: string) => call('templates.DeleteTemplate', { template_id }, testCaller(org));

test('a template is created with defaults and read back as replied', async () => {
  const org = randomUUID();
  const { template, etag } = await create(org, { name: 'Bakery' });
  expect(template).toEqual({
    id: expect.any(String),
    org_id: org,
    name: 'Bakery',
    category: 'general',
    is_public: false,
    is_featured: false,
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(await read(org, template?.id ?? '')).toEqual({ template, etag });
  expect(etag).toBe('"r1"');
});

test('a template without a source has no files', async () => {
  const org = randomUUID();
  expect(await textsOf(org, { template_id: (await newTemplate(org)).id })).toEqual({});
});

test('an event that the rule of a change raises is published', async () => {
  const org = randomUUID();
  const { id } = await newTemplate(org);
  await update(org, id, { name: 'Renamed' });
  expect(await publishedEvents(stream, org)).toMatchObject([{ type: 'internal.site.changed', data: { project_id: id, name: 'raised' } }]);
});

test('a template has the files that the project had when it was created', async () => {
  const org = randomUUID();
  const project = await newProject(org);
  await writeDraft(org, project.id, { 'index.html': 'before', 'about/index.html': 'about' });
  const template = await newTemplate(org, { source_project_id: project.id });
  await writeDraft(org, project.id, { 'index.html': 'after' });
  expect(await textsOf(org, { template_id: template.id })).toEqual({ 'index.html': 'before', 'about/index.html': 'about' });
});

test('an unknown source project and a project of another organization get the same error', async () => {
  const [org, other] = [randomUUID(), randomUUID()];
  const foreign = await newProject(other);
  for (const source_project_id of [randomUUID(), 'nonsense', foreign.id]) {
    await expect(create(org, { source_project_id })).rejects.toEqual(refusal('source_project_unknown'));
  }
  expect(await call('templates.ListTemplates', {}, testCaller(org))).toEqual({ templates: [], total: 0, next_cursor: '' });
});

test('a retry after a lost reply returns the first template, even if its source was deleted since', async () => {
  const org = randomUUID();
  const caller = testCaller(org, repeatable(`key ${org}`));
  const project = await newProject(org);
  const request = { name: 'Template', is_public: false, source_project_id: project.id };
  const first = await createTemplate.run(request, caller);
  await call('projects.DeleteProject', { project_id: project.id }, testCaller(org));
  expect(await createTemplate.run(request, caller)).toEqual(first);
  expect(await call('templates.ListTemplates', {}, testCaller(org))).toMatchObject({ total: 1 });
});

test('templates are listed newest first, all of them or a page, with the total', async () => {
  const org = randomUUID();
  for (const name of ['a', 'b', 'c']) {
    await create(org, { name });
    await nextMillisecond();
  }
  const list = (page: RequestOf<'templates.ListTemplates'>) => call('templates.ListTemplates', page, testCaller(org));
  expect(await list({})).toMatchObject({ templates: [{ name: 'c' }, { name: 'b' }, { name: 'a' }], total: 3 });
  expect(await list({ limit: 1, offset: 1 })).toMatchObject({ templates: [{ name: 'b' }], total: 3 });
});

test('the list is sorted by an index', async () => {
  const org = randomUUID();
  await create(org);
  await create(org);
  const operations = await requestsOn('templates', () => call('templates.ListTemplates', { limit: 1 }, testCaller(org)));
  expect(operations).toHaveLength(2);
  for (const operation of operations) {
    expect(operation.planSummary).toMatch(/^(IXSCAN|COUNT_SCAN) { org_id: 1/);
    expect(operation.hasSortStage).toBeUndefined();
  }
});

test('an update changes the given fields only and keeps the files', async () => {
  const org = randomUUID();
  const project = await newProject(org);
  await writeDraft(org, project.id, { 'index.html': 'Hi' });
  const before = await newTemplate(org, { source_project_id: project.id });
  const change = { description: 'Text', category: 'Food', thumbnail_url: 'https://example.com/a.png', is_public: true, is_featured: true };
  const { template, etag } = await update(org, before.id, change);
  expect(template).toEqual({ ...before, ...change, category: 'food' });
  expect(etag).toBe('"r2"');
  expect((await update(org, before.id, { description: null, thumbnail_url: null })).template).toEqual({
    ...before,
    category: 'food',
    is_public: true,
    is_featured: true,
  });
  expect(await textsOf(org, { template_id: before.id })).toEqual({ 'index.html': 'Hi' });
});

test('an update without a difference keeps the ETag', async () => {
  const org = randomUUID();
  const template = await newTemplate(org, { name: 'Same' });
  expect(await update(org, template.id, { name: 'Same', category: 'GENERAL' })).toEqual({ template, etag: '"r1"' });
});

test('a stale If-Match is rejected', async () => {
  const org = randomUUID();
  const { id } = await newTemplate(org);
  await expect(update(org, id, { name: 'After' }, '"r2"')).rejects.toEqual(refusal('edited_meanwhile'));
  expect(await update(org, id, { name: 'After' }, '"r1"')).toMatchObject({ template: { name: 'After' } });
});

test('a deleted template is not found, its deletion is published once, and its projects keep their files', async () => {
  const org = randomUUID();
  const source = await newProject(org);
  await writeDraft(org, source.id, { 'index.html': 'Hi' });
  const template = await newTemplate(org, { source_project_id: source.id });
  const copy = await newProject(org, { template_id: template.id });
  await call('projects.DeleteProject', { project_id: source.id }, testCaller(org));
  expect(await remove(org, template.id)).toEqual({ deleted: true, id: template.id });
  await expect(read(org, template.id)).rejects.toEqual(refusal('template_not_found'));
  await expect(remove(org, template.id)).rejects.toEqual(refusal('template_not_found'));
  await expect(newProject(org, { template_id: template.id })).rejects.toEqual(refusal('template_not_found'));
  expect(await textsOf(org, { project_id: copy.id })).toEqual({ 'index.html': 'Hi' });
  const events = (await publishedEvents(stream, org)).filter(({ type }) => type === 'internal.template.deleted');
  expect(events).toMatchObject([{ data: { template_id: template.id } }]);
});
