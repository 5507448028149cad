import { randomBytes, randomUUID } from 'node:crypto';
import { Deploy, Project } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { makeProject } from './fixtures.ts';

let ours: Agency;
beforeAll(async () => {
  ours = await agency(undefined, { rateLimit: 1000 });
});

const publish = (id: string, builtFiles: unknown) => ours.api.post(`/projects/${id}/publish`, { builtFiles });
const draftOf = async (owner: string) => (await ours.api.raw(`${owner}/files/index.html`)).text();
const named = () => `Site ${randomBytes(6).toString('hex')}`;

test('publishProject: answers 200 with url, deployId, status and the project as getProject returns it', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  const { body } = (await publish(id, { 'index.html': '<h1>Hi</h1>', 'a.bin': { content: 'AAECAw==', encoding: 'base64' } })).expect(200);
  expect(Object.keys(body).sort()).toEqual(['deployId', 'project', 'status', 'url']);
  expect(Project.safeParse(body.project).success).toBe(true);
  expect(body).toMatchObject({ status: 'ready', project: { id, published_url: body.url, last_published_at: expect.any(String) } });
  expect(new URL(body.url).hostname).toBe(`${body.project.subdomain}.sites.localhost`);
  expect((await ours.api.get(`/projects/${id}`)).expect(200).body.project).toEqual(body.project);
  const draft = await ours.api.raw(`/projects/${id}/files/a.bin`);
  expect(Buffer.from(await draft.arrayBuffer())).toEqual(Buffer.from([0, 1, 2, 3]));
});

test('publishProject: publishes the draft when there is no body', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  (await ours.api.post(`/projects/${id}/publish`)).expect(400, 'validation_failed');
  await ours.writeDraft(id, { 'index.html': 'draft' });
  (await ours.api.post(`/projects/${id}/publish`)).expect(200);
  (await ours.api.post(`/projects/${id}/publish`, {})).expect(200);
});

test('publishProject: files become the draft too, so that publishing the draft never brings an older site back', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  for (const version of ['v1', 'v2']) (await publish(id, { 'index.html': version })).expect(200);
  const { deployId } = (await ours.api.post(`/projects/${id}/publish`, {})).expect(200).body;
  const { deploys } = (await ours.api.get(`/projects/${id}/deploys`)).expect(200).body;
  expect(deploys[0]).toMatchObject({ id: deployId, live: true });
  expect(await draftOf(`/projects/${id}`)).toBe('v2');
  const template = (await ours.api.post('/templates', { name: 'From it', source_project_id: id })).expect(201).body.template;
  expect(await draftOf(`/templates/${template.id}`)).toBe('v2');
});

test('publishProject: with draft: keep the draft stays as it was', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  await ours.writeDraft(id, { 'index.html': 'draft' });
  const publishWith = (draft: unknown) => ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'built' }, draft });
  (await publishWith('keep')).expect(200);
  expect(await draftOf(`/projects/${id}`)).toBe('draft');
  (await publishWith('drop')).expect(400, 'validation_failed');
  expect(await draftOf(`/projects/${id}`)).toBe('draft');
});

test.each([
  ['no files', {}],
  ['a list', []],
  ['text', 'index.html'],
  ['nothing', null],
  ['a file that is not text', { 'index.html': 1 }],
  ['a file that is null', { 'index.html': null }],
  ['bad base64', { 'index.html': { content: 'a b!', encoding: 'base64' } }],
  ['base64 without its padding', { 'index.html': { content: 'AAECAw', encoding: 'base64' } }],
  ['an unknown encoding', { 'index.html': { content: 'a', encoding: 'hex' } }],
  ['an unknown field of a file', { 'index.html': { content: 'a', mode: 7 } }],
  ['a lone surrogate', { 'index.html': '\ud800' }],
  ['a path that leaves the folder', { 'index.html': 'a', '../index.html': 'a' }],
  ['no index.html', { 'about.html': 'a' }],
  ['2,001 files', Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`${index}.html`, '']))],
])('publishProject: answers 400 validation_failed to %s and publishes nothing', async (_, builtFiles) => {
  const { id } = await makeProject(ours.api);
  const { body } = (await publish(id, builtFiles)).expect(400, 'validation_failed');
  expect(body.error).toMatch(/index\.html|builtFiles/);
  expect((await ours.api.get(`/projects/${id}/deploys`)).expect(200).body).toEqual({ deploys: [], total: 0 });
});

test('publishProject: names the invalid file in the error', async () => {
  const { id } = await makeProject(ours.api);
  const bad = { content: '***', encoding: 'base64' };
  expect((await publish(id, { 'index.html': 'a', 'img/logo.png': bad })).expect(400).body.details).toEqual([
    { path: 'builtFiles.img/logo.png', message: 'must be valid base64' },
  ]);
});

test('publishProject: accepts __proto__ and constructor as file names', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  const body = '{"builtFiles":{"index.html":"a","__proto__":"b","constructor":"c"}}';
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  (await ours.api.send(`/projects/${id}/publish`, init)).expect(200);
  const { files } = (await ours.api.get(`/projects/${id}/files`)).expect(200).body;
  expect(files.map(({ path }: { path: string }) => path)).toEqual(['__proto__', 'constructor', 'index.html']);
});

test('publishProject: accepts 25 MB in a 35 MB body; a body over 40 MB answers 413, a million files 400', async () => {
  // Built before the first request: building it blocks the process, and an open connection would time out meanwhile.
  const millionFiles = Buffer.from(`{"builtFiles":{${Array.from({ length: 1_000_000 }, (_, index) => `"${index}":""`).join()}}}`);
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  const content = randomBytes(25 * 1024 * 1024 - 1).toString('base64');
  (await publish(id, { 'index.html': 'a', 'large.bin': { content, encoding: 'base64' } })).expect(200);
  (await publish(id, { 'index.html': 'a'.repeat(41 * 1024 * 1024) })).expect(413, 'body_too_large');
  const init = { method: 'POST', body: millionFiles, headers: { 'content-type': 'application/json' } };
  (await ours.api.send(`/projects/${id}/publish`, init)).expect(400, 'validation_failed');
  expect((await ours.api.get(`/projects/${id}/deploys`)).expect(200).body.deploys).toMatchObject([{ live: true, files: 2 }]);
});

test('listDeploys, rollBackDeploy: list deploys newest first, and make an earlier deploy live', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  const [one, two] = [
    (await publish(id, { 'index.html': '1' })).expect(200).body,
    (await publish(id, { 'index.html': '2' })).expect(200).body,
  ];
  const list = (await ours.api.get(`/projects/${id}/deploys`)).expect(200);
  expect(list.body.total).toBe(2);
  expect(list.headers.get('x-total-count')).toBe('2');
  expect(list.body.deploys.map((deploy: unknown) => Deploy.parse(deploy).id)).toEqual([two.deployId, one.deployId]);
  const { body } = (await ours.api.post(`/projects/${id}/deploys/${one.deployId}/rollback`)).expect(200);
  expect(body).toMatchObject({ url: one.url, deployId: one.deployId, status: 'ready', project: { id } });
  expect((await ours.api.get(`/projects/${id}/deploys`)).expect(200).body.deploys).toMatchObject([{ live: false }, { live: true }]);
  for (const wrong of [randomUUID(), 'x']) {
    (await ours.api.post(`/projects/${id}/deploys/${wrong}/rollback`)).expect(404, 'deploy_not_found');
  }
});

test('publishProject, listDeploys: need their permission, and answer 404 to a foreign, unknown or malformed project', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  const other = await agency();
  const files = { builtFiles: { 'index.html': 'a' } };
  const refused = (await ours.readOnly.post(`/projects/${id}/publish`, files)).expect(403, 'permission_missing');
  expect(refused.headers.get('x-accepted-permissions')).toBe('write');
  for (const [api, project] of [
    [other.api, id],
    [ours.api, randomUUID()],
    [ours.api, 'x'],
  ] as const) {
    (await api.post(`/projects/${project}/publish`, files)).expect(404, 'project_not_found');
    (await api.get(`/projects/${project}/deploys`)).expect(404, 'project_not_found');
  }
});

test('publishProject: publishes once per Idempotency-Key', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  const key = { 'idempotency-key': randomUUID() };
  const send = () => ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'a' } }, key);
  const first = (await send()).expect(200);
  const again = (await send()).expect(200);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await ours.api.get(`/projects/${id}/deploys`)).body.total).toBe(1);
});

test('updateProject: leaves the published site as it is', async () => {
  const { id } = await makeProject(ours.api, undefined, { name: named() });
  const { body } = (await publish(id, { 'index.html': 'a' })).expect(200);
  const patched = (await ours.api.patch(`/projects/${id}`, { name: 'Renamed', status: 'archived' })).expect(200).body.project;
  expect(patched).toMatchObject({ published_url: body.url, last_published_at: body.project.last_published_at });
});
