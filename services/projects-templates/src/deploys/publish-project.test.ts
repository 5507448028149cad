import { randomBytes, randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { siteAddressesAt } from '../projects/site-addresses.ts';
import { newProject, newTemplate, present, publish, refusal, repeatable, textsOf, visitedTexts, writeDraft } from '../testing/calls.ts';
import { previewOrigin, sitesOrigin, useProjectsTemplates } from '../testing/running-service.ts';
import { countStored } from '../testing/stored-files.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { publishProject } from './publish-project.ts';

const stream = useProjectsTemplates();

/** A name that no other test run uses. */
const unique = () => `Site ${randomBytes(6).toString('hex')}`;
const deploysOf = async (org: string, project_id: string) =>
  (await call('projects.ListDeploys', { project_id, offset: 0 }, testCaller(org))).deploys;

test('a published project is live under its name with all its files, and its event is published once', async () => {
  const org = randomUUID();
  const name = unique();
  const project = await newProject(org, { name });
  const texts = { 'index.html': '<h1>Hi</h1>', 'über uns/größe.html': 'big', 'empty.txt': '' };
  const answer = await publish(org, project.id, texts);
  const subdomain = name.toLowerCase().replace(' ', '-');
  expect(answer).toMatchObject({ url: `https://${subdomain}.sites.example.net`, status: 'ready' });
  expect(answer.project).toMatchObject({ id: project.id, subdomain, published_url: answer.url, last_published_at: expect.any(String) });
  const read = await call('projects.GetProject', { project_id: project.id }, testCaller(org));
  expect(read).toEqual({ project: answer.project, etag: answer.etag });
  expect(await visitedTexts(subdomain)).toEqual(texts);
  expect(await deploysOf(org, project.id)).toMatchObject([{ id: answer.deployId, live: true, files: 3, size: 14 }]);
  expect((await publishedEvents(stream, org)).slice(1)).toMatchObject([
    { type: 'project.published', data: { project: { id: project.id, published_url: answer.url } } },
    { type: 'internal.site.changed', data: { project_id: project.id, name: subdomain } },
  ]);
});

test('published files become the draft, so that a publish of the draft leaves them live', async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: unique() });
  await writeDraft(org, id, { 'index.html': 'draft' });
  for (const version of ['v1', 'v2']) {
    await publish(org, id, { 'index.html': version });
    expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': version });
  }
  const { project } = await publish(org, id);
  expect(await visitedTexts(present(present(project).subdomain))).toEqual({ 'index.html': 'v2' });
  const template = await newTemplate(org, { source_project_id: id });
  expect(await textsOf(org, { template_id: template.id })).toEqual({ 'index.html': 'v2' });
});

test('a publish that keeps the draft leaves it as it is; a project without a draft gets the files', async () => {
  const org = randomUUID();
  const [empty, drafted] = [await newProject(org, { name: unique() }), await newProject(org, { name: unique() })];
  await writeDraft(org, drafted.id, { 'index.html': 'draft' });
  for (const { id } of [empty, drafted]) await publish(org, id, { 'index.html': 'published' }, { draft: 'keep' });
  expect(await textsOf(org, { project_id: empty.id })).toEqual({ 'index.html': 'published' });
  expect(await textsOf(org, { project_id: drafted.id })).toEqual({ 'index.html': 'draft' });
});

test('a publish without files publishes the draft', async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: unique() });
  await writeDraft(org, id, { 'index.html': 'draft', 'a/b.css': 'c'.repeat(1000) });
  const { project } = await publish(org, id);
  expect(await visitedTexts(present(present(project).subdomain))).toEqual({ 'index.html': 'draft', 'a/b.css': 'c'.repeat(1000) });
});

test('an empty project cannot be published', async () => {
  const org = randomUUID();
  const { id } = await newProject(org);
  await expect(publish(org, id)).rejects.toMatchObject({ code: 'validation_failed', details: [{ path: 'index.html' }] });
  expect(await countStored(org)).toEqual({ manifests: 0, chunks: 0, leased: 0 });
});

test.each([
  ['a path that climbs', { 'index.html': 'new', '../secret': 'x' }, '../secret'],
  ['a path that climbs in the middle', { 'index.html': 'new', 'a/../../b': 'x' }, 'a/../../b'],
  ['an absolute path', { 'index.html': 'new', '/etc/passwd': 'x' }, '/etc/passwd'],
  ['a path of another system', { 'index.html': 'new', 'a\\b': 'x' }, 'a\\b'],
  ['a path that breaks a header', { 'index.html': 'new', 'a\r\nSet-Cookie: b': 'x' }, 'a\r\nSet-Cookie: b'],
  ['a reserved path', { 'index.html': 'new', 't.js': 'x' }, 't.js'],
  ['a reserved folder', { 'index.html': 'new', '_forms/contact': 'x' }, '_forms/contact'],
  ['no index.html', { 'about.html': 'new' }, 'index.html'],
])('%s is rejected by name: nothing is stored, and the old site stays live', async (_, texts, path) => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: unique() });
  const { project, deployId } = await publish(org, id, { 'index.html': 'old' });
  const before = await countStored(org);
  await expect(publish(org, id, texts)).rejects.toMatchObject({ code: 'validation_failed', details: [{ path }] });
  expect(await countStored(org)).toEqual(before);
  expect(await visitedTexts(present(present(project).subdomain))).toEqual({ 'index.html': 'old' });
  expect(await deploysOf(org, id)).toMatchObject([{ id: deployId, live: true }]);
});

test('2,000 files and 25 MB are published; 2,001, or one byte more, are not', async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: unique() });
  const pages = Object.fromEntries(Array.from({ length: 1999 }, (_, index) => [`page-${index}.html`, 'same']));
  const large = randomBytes(25 * 1024 * 1024 - 1);
  const publishLarge = (content: Buffer) => {
    const builtFiles = [
      { path: 'index.html', content: Buffer.from('x') },
      { path: 'large.bin', content },
    ];
    return call('projects.PublishProject', { project_id: id, builtFiles }, testCaller(org));
  };
  expect(await publish(org, id, { 'index.html': 'x', ...pages })).toMatchObject({ status: 'ready' });
  await expect(publish(org, id, { 'index.html': 'x', ...pages, more: '' })).rejects.toEqual(refusal('validation_failed'));
  const { deployId } = await publishLarge(large);
  await expect(publishLarge(Buffer.concat([large, Buffer.from('x')]))).rejects.toEqual(refusal('validation_failed'));
  expect(await deploysOf(org, id)).toMatchObject([
    { id: deployId, live: true, files: 2, size: 25 * 1024 * 1024 },
    { live: false, files: 2000 },
  ]);
});

test('concurrent publishes are a deploy and an event each, and one of them is live as a whole', async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: unique() });
  const rounds = ['a', 'b', 'c', 'd', 'e'];
  const answers = await Promise.all(rounds.map((round) => publish(org, id, { 'index.html': round, [`${round}.html`]: round })));
  const deploys = await deploysOf(org, id);
  expect(new Set(deploys.map((deploy) => deploy.id))).toEqual(new Set(answers.map(({ deployId }) => deployId)));
  expect(deploys.map(({ live }) => live)).toEqual([true, false, false, false, false]);
  const liveRound = present(rounds[answers.findIndex(({ deployId }) => deployId === deploys[0]?.id)]);
  expect(await visitedTexts(present(answers[0]?.project?.subdomain))).toEqual({
    'index.html': liveRound,
    [`${liveRound}.html`]: liveRound,
  });
  const events = (await publishedEvents(stream, org)).filter(({ type }) => type === 'project.published');
  expect(events).toHaveLength(rounds.length);
});

test('a retry after a lost reply returns the first deploy and publishes no further event', async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: unique() });
  const caller = testCaller(org, repeatable(`key ${org}`));
  const request = { project_id: id, builtFiles: [{ path: 'index.html', content: Buffer.from('once') }] };
  const useCase = publishProject(siteAddressesAt(sitesOrigin, previewOrigin));
  const first = await useCase.run(request, caller);
  expect(await useCase.run(request, caller)).toEqual(first);
  expect(await deploysOf(org, id)).toHaveLength(1);
  expect((await publishedEvents(stream, org)).filter(({ type }) => type === 'project.published')).toHaveLength(1);
});

test("another organization's project and an unknown project are not found", async () => {
  const org = randomUUID();
  const { id } = await newProject(org, { name: unique() });
  for (const [caller, project] of [
    [randomUUID(), id],
    [org, randomUUID()],
  ] as const) {
    await expect(publish(caller, project, { 'index.html': 'x' })).rejects.toEqual(refusal('project_not_found'));
  }
});
