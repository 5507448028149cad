import { randomBytes, randomUUID } from 'node:crypto';
import { Deploy, FileChange, HistoryEntry, Project, Revision, SiteDomain } from '@webkiln/contract';
import { strFromU8, unzipSync } from 'fflate';
import { type Agency, agency } from '../harness/agency.ts';
import type { Api } from '../harness/api.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { visit } from '../harness/visitor.ts';
import { makeProject } from './fixtures.ts';

const platform = sharedPlatform();
const origin = platform.origins[0] ?? '';

describe('publishing', () => {
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

  test('publishProject: takes base64 with line breaks, as encoders write it', async () => {
    const { id } = await makeProject(ours.api, undefined, { name: named() });
    const content = randomBytes(300);
    const lines = content.toString('base64').replace(/.{76}/g, '$&\r\n');
    (await publish(id, { 'index.html': 'a', 'a.bin': { content: `${lines}\n`, encoding: 'base64' } })).expect(200);
    expect(Buffer.from(await (await ours.api.raw(`/projects/${id}/files/a.bin`)).arrayBuffer())).toEqual(content);
  });

  test('publishProject: the rules of the site are served, and what they do not serve is in the warnings', async () => {
    const { id } = await makeProject(ours.api, undefined, { name: named() });
    const files = { 'index.html': '<h1>App</h1>', LICENSE: 'Copyright', _headers: '/*\n  X-Frame-Options: DENY\n  Set-Cookie: a=b\n' };
    const { url, warnings } = (await publish(id, { ...files, _redirects: '/* /index.html 200\n/x /y 302 Country=de' })).expect(200).body;
    expect(warnings).toEqual([
      { path: '_redirects', message: expect.stringContaining('Country') },
      { path: '_headers', message: expect.stringContaining('Set-Cookie') },
    ]);
    const app = await visit(origin, `${url}/orders/7`);
    expect([app.status, app.text, app.headers['x-frame-options'], app.headers['set-cookie']]).toEqual([
      200,
      '<h1>App</h1>',
      'DENY',
      undefined,
    ]);
    expect((await visit(origin, `${url}/LICENSE`)).headers['content-type']).toBe('text/plain; charset=utf-8');
    // What is shown for any path, and no setting.
    expect((await visit(origin, `${url}/_redirects`)).text).toBe('<h1>App</h1>');
  });

  test.each([
    ['no files', {}],
    ['a file and a folder of one name', { 'index.html': 'a', 'index.html/a': 'a' }],
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

  test.each<[string, string, Record<string, string>]>([
    ['malformed JSON', '{"builtFiles":{"index.html":"a"},}', {}],
    ['a list', '[]', {}],
    ['text that is no UTF-8', '{"builtFiles":{"index.html":"\xff"}}', {}],
    ['an unknown field', '{"builtFiles":{"index.html":"a"},"draf":1}', {}],
    ['a path that leaves the folder', '{"builtFiles":{"index.html":"a","../a":"b"}}', {}],
    ['no index.html, and a malformed Idempotency-Key', '{"builtFiles":{}}', { 'idempotency-key': 'x'.repeat(300) }],
    ['a malformed Idempotency-Key', '{"builtFiles":{"index.html":"a"}}', { 'idempotency-key': 'x'.repeat(300) }],
  ])('publishProject: %s is answered byte for byte alike in a small body and a large one', async (_, json, headers) => {
    const { id } = await makeProject(ours.api);
    const small = Buffer.from(json, 'latin1');
    const large = Buffer.concat([small, Buffer.alloc(2 * 1024 * 1024, ' ')]);
    const answers = [id, randomUUID(), 'x'].map(async (project) => {
      const [one, other] = await Promise.all(
        [small, large].map(async (body) => {
          const all = { 'content-type': 'application/json', 'x-request-id': 'alike', ...headers };
          const response = await ours.api.raw(`/projects/${project}/publish`, { method: 'POST', body, headers: all });
          return [response.status, await response.text()];
        }),
      );
      expect(other).toEqual(one);
      return one?.[0];
    });
    for (const status of await Promise.all(answers)) expect([400, 404]).toContain(status);
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
});

describe('previews', () => {
  let ours: Agency;
  beforeAll(async () => {
    ours = await agency();
  });

  test('getPreview: answers 200 with exactly the contract fields', async () => {
    const { id } = await makeProject(ours.api, undefined, { name: `Site ${randomBytes(6).toString('hex')}` });
    const { body } = (await ours.api.get(`/projects/${id}/preview`)).expect(200);
    expect(body).toEqual({
      published_url: null,
      has_published: false,
      preview_url: expect.stringMatching(new RegExp(`^http://[a-z2-7]{26}\\.preview\\.localhost:${new URL(origin).port}$`)),
      builder_url: `${origin}/builder/${id}`,
      embed_preview_path: `/builder/${id}/preview`,
      expires_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
    });
    const { url } = (await ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'a' } })).expect(200).body;
    const after = (await ours.readOnly.get(`/projects/${id}/preview`)).expect(200).body;
    expect(after).toMatchObject({ published_url: url, has_published: true });
  });

  test('getPreview: answers 403 to a write-only key', async () => {
    const { id } = await makeProject(ours.api);
    (await ours.writeOnly.get(`/projects/${id}/preview`)).expect(403, 'permission_missing');
  });

  test('getPreview: answers 404 to a foreign, unknown or malformed project', async () => {
    const { id } = await makeProject(ours.api);
    const other = await agency();
    for (const [api, project] of [
      [other.api, id],
      [ours.api, randomUUID()],
      [ours.api, 'x'],
    ] as const) {
      (await api.get(`/projects/${project}/preview`)).expect(404, 'project_not_found');
    }
  });
});

describe('domains', () => {
  let boss: Person;
  let project: Project;

  beforeAll(async () => {
    boss = await owner();
    project = await makeProject(boss.api, undefined, { name: `Shop ${randomBytes(6).toString('hex')}` });
    (await boss.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Home' } })).expect(200);
  });

  const at = (id = project.id) => `/projects/${id}/domains`;
  const someName = () => `www.${randomBytes(8).toString('hex')}.com`;

  test('addDomain: answers 201 with what to add, and listDomains 200 with it and the subdomain', async () => {
    const { domain } = (await boss.api.post(at(), { domain: someName() })).expect(201).body;
    expect(SiteDomain.strict().parse(domain)).toMatchObject({ type: 'custom', status: 'pending', is_primary: false });
    const { domains, total } = (await boss.api.get(at())).expect(200).body;
    expect(domains.map((one: unknown) => SiteDomain.strict().parse(one).type)).toContain('subdomain');
    expect(domains.map(({ id }: SiteDomain) => id)).toContain(domain.id);
    expect(total).toBe(domains.length);
  });

  test('verifyDomain: answers 200 with what was found; deleteDomain: answers 200, and 404 after that', async () => {
    const { domain } = (await boss.api.post(at(), { domain: someName() })).expect(201).body;
    const checked = (await boss.api.post(`${at()}/${domain.id}/verify`, {})).expect(200).body.domain;
    expect(checked).toMatchObject({ id: domain.id, status: 'pending', error: expect.stringContaining('add a TXT record') });
    expect((await boss.api.delete(`${at()}/${domain.id}`)).expect(200).body).toEqual({ deleted: true, id: domain.id });
    (await boss.api.delete(`${at()}/${domain.id}`)).expect(404, 'domain_not_found');
    (await boss.api.post(`${at()}/${domain.id}/verify`, {})).expect(404, 'domain_not_found');
  });

  test('addDomain: answers 400 to both, neither or no name, and verifyDomain to fields', async () => {
    for (const body of [{}, { domain: someName(), subdomain: 'shop' }, { domain: 'localhost' }, { subdomain: 'www' }, { domain: 7 }]) {
      (await boss.api.post(at(), body)).expect(400, 'validation_failed');
    }
    (await boss.api.post(`${at()}/${randomUUID()}/verify`, { now: true })).expect(400, 'validation_failed');
  });

  test('addDomain: answers 201 to another subdomain, 409 to a taken one and before the first publish', async () => {
    const other = await makeProject(boss.api, undefined, { name: `Other ${randomBytes(6).toString('hex')}` });
    const wanted = `moved-${randomBytes(6).toString('hex')}`;
    (await boss.api.post(at(other.id), { subdomain: wanted })).expect(409, 'site_not_published');
    (await boss.api.post(`/projects/${other.id}/publish`, { builtFiles: { 'index.html': 'Other' } })).expect(200);
    const { domain } = (await boss.api.post(at(other.id), { subdomain: wanted })).expect(201).body;
    expect(domain).toMatchObject({ type: 'subdomain', status: 'active', is_primary: true });
    const moved = (await boss.api.get(`/projects/${other.id}`)).expect(200).body.project;
    expect(moved).toMatchObject({ subdomain: wanted, published_url: expect.stringContaining(`//${wanted}.`) });
    (await boss.api.post(at(), { subdomain: wanted })).expect(409, 'subdomain_taken');
  });

  test('listDomains, addDomain, verifyDomain, deleteDomain: answer 403 to keys, and 404 to what there is not', async () => {
    const keys: Agency = await agency();
    const foreign = await makeProject(keys.api);
    const ask = (api: typeof boss.api, id: string) => [
      api.get(at(id)),
      api.post(at(id), { domain: someName() }),
      api.post(`${at(id)}/${randomUUID()}/verify`, {}),
      api.delete(`${at(id)}/${randomUUID()}`),
    ];
    for (const answer of await Promise.all(ask(keys.api, foreign.id))) answer.expect(403, 'person_required');
    for (const id of [foreign.id, randomUUID()]) {
      const codes = ['project_not_found', 'project_not_found', 'domain_not_found', 'domain_not_found'];
      for (const [index, answer] of (await Promise.all(ask(boss.api, id))).entries()) answer.expect(404, codes[index]);
    }
  });
});

describe('revisions', () => {
  let ours: Agency;
  let project: Project;

  beforeAll(async () => {
    ours = await agency();
    project = await makeProject(ours.api);
    for (const text of ['one', 'two']) await ours.writeDraft(project.id, { 'index.html': text });
  });

  const entriesOf = (zip: ArrayBuffer) =>
    Object.fromEntries(Object.entries(unzipSync(new Uint8Array(zip))).map(([path, content]) => [path, strFromU8(content)]));

  const at = ({ id }: { id: string } = project) => `/projects/${id}/revisions`;
  const list = async (api: Api = ours.api): Promise<Revision[]> => (await api.get(at())).expect(200).body.revisions;

  test('listRevisions: answers 200 with the fields of the contract, newest first, in pages', async () => {
    const made = await makeProject(ours.api);
    for (const text of ['one', 'two', 'three']) await ours.writeDraft(made.id, { 'index.html': text });
    const { revisions, total } = (await ours.readOnly.get(at(made))).expect(200).body;
    expect(total).toBe(3);
    expect(revisions.map((revision: unknown) => Revision.strict().parse(revision).number)).toEqual([3, 2, 1]);
    expect((await ours.api.get(`${at(made)}?limit=1&offset=1`)).expect(200).body).toEqual({ revisions: [revisions[1]], total: 3 });
  });

  test('listRevisionFiles, getRevisionFile: answer 200 with the files as they were', async () => {
    const oldest = (await list()).at(-1)?.id;
    expect((await ours.api.get(`${at()}/${oldest}/files`)).expect(200).body.files).toMatchObject([{ path: 'index.html', size: 3 }]);
    expect(await (await ours.api.raw(`${at()}/${oldest}/files/index.html`)).text()).toBe('one');
  });

  test('restoreRevision: answers 200 with the new revision, and a repeat with the same key the same', async () => {
    const made = await makeProject(ours.api);
    for (const text of ['one', 'two']) await ours.writeDraft(made.id, { 'index.html': text });
    const oldest = (await ours.api.get(at(made))).body.revisions.at(-1).id;
    const restore = () => ours.api.post(`${at(made)}/${oldest}/restore`, {}, { 'idempotency-key': oldest });
    const { revision } = (await restore()).expect(200).body;
    expect(Revision.strict().parse(revision)).toMatchObject({ number: 3, origin: 'restore', turn_id: null, current: true });
    expect((await restore()).expect(200).body).toEqual({ revision });
    expect((await ours.api.get(at(made))).body.total).toBe(3);
    expect(await (await ours.api.raw(`/projects/${made.id}/files/index.html`)).text()).toBe('one');
  });

  test('restoreRevision: answers 400 to fields that it does not have', async () => {
    const [newest] = await list();
    (await ours.api.post(`${at()}/${newest?.id}/restore`, { title: 'x' })).expect(400, 'validation_failed');
  });

  test('listRevisions, restoreRevision, listRevisionFiles, getRevisionFile: answer 404 to what there is not', async () => {
    const other = await agency();
    const [newest] = await list();
    for (const [api, id] of [
      [other.api, project.id],
      [ours.api, randomUUID()],
    ] as const) {
      (await api.get(at({ id }))).expect(404, 'project_not_found');
      (await api.post(`${at({ id })}/${newest?.id}/restore`, {})).expect(404, 'revision_not_found');
      (await api.get(`${at({ id })}/${newest?.id}/files`)).expect(404, 'revision_not_found');
      (await api.get(`${at({ id })}/${newest?.id}/files/index.html`)).expect(404, 'revision_not_found');
    }
    const unknown = `${at()}/${randomUUID()}`;
    (await ours.api.post(`${unknown}/restore`, {})).expect(404, 'revision_not_found');
    (await ours.api.get(`${unknown}/files`)).expect(404, 'revision_not_found');
    (await ours.api.get(`${unknown}/files/index.html`)).expect(404, 'revision_not_found');
    (await ours.api.get(`${at()}/${newest?.id}/files/none.html`)).expect(404, 'file_not_found');
  });

  test('exportProject: answers 200 with a zip of the draft, or of what is published', async () => {
    const made = await makeProject(ours.api, undefined, { name: 'Café Löwe' });
    (await ours.api.get(`/projects/${made.id}/export?of=live`)).expect(404, 'site_not_found');
    (await ours.api.post(`/projects/${made.id}/publish`, { builtFiles: { 'index.html': 'published' } })).expect(200);
    await ours.writeDraft(made.id, { 'index.html': 'drafted', 'a/ü.css': 'a {}'.repeat(100), 'webkiln.json': '{}' });
    const zip = async (query: string) => {
      const answer = await ours.api.raw(`/projects/${made.id}/export${query}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="cafe-lowe[a-z0-9-]*\.zip"$/);
      return { etag: answer.headers.get('etag'), files: entriesOf(await answer.arrayBuffer()) };
    };
    const draft = await zip('');
    expect(draft.files).toEqual({ 'a/ü.css': 'a {}'.repeat(100), 'index.html': 'drafted', 'webkiln.json': '{}' });
    expect(await zip('')).toEqual(draft);
    expect((await zip('?of=live')).files).toEqual({ 'index.html': 'published' });
  });

  describe('its history', () => {
    let made: Project;
    const history = async (api: Api = ours.api): Promise<HistoryEntry[]> =>
      (await api.get(`/projects/${made.id}/history`)).expect(200).body.history;
    const changes = async (id: string, against = '') =>
      (await ours.api.get(`${at(made)}/${id}/changes?against=${against}`)).expect(200).body;
    beforeAll(async () => {
      made = await makeProject(ours.api, undefined, { name: `Site ${randomUUID().slice(0, 8)}` });
      const publishFiles = (files: object, message?: string) =>
        ours.api.post(`/projects/${made.id}/publish`, { builtFiles: files, ...(message && { message }) });
      (await publishFiles({ 'index.html': 'one', 'old.txt': 'old' }, 'The opening')).expect(200);
      const writeDraft = async (files: object) => (await ours.api.put(`/projects/${made.id}/files`, { files })).expect(200);
      await writeDraft({ 'index.html': 'two', 'new.txt': 'new' });
      (await ours.api.post(`/projects/${made.id}/publish`, { message: 'The second' })).expect(200);
      await writeDraft({ 'index.html': 'three' });
    });

    test('listHistory: answers 200 with drafts and deploys in one list, each with author, message, and what is live or the draft', async () => {
      const author = { kind: 'api_key', id: expect.any(String), name: expect.any(String), agent: null };
      const entries = await history(ours.readOnly);
      expect(entries.map((entry) => HistoryEntry.strict().parse(entry))).toMatchObject([
        { kind: 'revision', number: 3, origin: 'upload', live: false, draft: true, author },
        { kind: 'deploy', number: null, origin: 'publish', message: 'The second', live: true, draft: false, author },
        { kind: 'revision', number: 2, origin: 'upload', live: false, draft: false, author },
        { kind: 'deploy', number: 1, origin: 'publish', message: 'The opening', live: false, draft: false, author },
      ]);
      const page = (await ours.api.get(`/projects/${made.id}/history?limit=1&offset=1`)).expect(200).body;
      expect(page).toEqual({ history: [entries[1]], total: 4 });
    });

    test('listChanges: answers 200 with the files that differ from the live site, the draft, or the state before', async () => {
      const [draft, live, , first] = await history();
      const kinds = async (id = '', against?: string) => {
        const { changes: listed, before_id } = await changes(id, against);
        return {
          before_id,
          changes: listed.map((change: unknown) => FileChange.parse(change)).map(({ path, change }: FileChange) => `${change} ${path}`),
        };
      };
      expect(await kinds(draft?.id)).toEqual({ before_id: live?.id, changes: ['changed index.html', 'removed new.txt'] });
      expect(await kinds(first?.id)).toEqual({ before_id: live?.id, changes: ['changed index.html', 'removed new.txt', 'added old.txt'] });
      expect(await kinds(live?.id, 'draft')).toEqual({ before_id: draft?.id, changes: ['changed index.html', 'added new.txt'] });
      expect((await kinds(live?.id, 'previous')).before_id).toBe(first?.id);
      expect(await kinds(first?.id, 'previous')).toEqual({ before_id: null, changes: ['added index.html', 'added old.txt'] });
    });

    test('getPreview, exportProject: show and zip any entry as it was; the address lives for a week', async () => {
      const [, live, , first] = await history();
      for (const [entry, files] of [
        [first, { 'index.html': 'one', 'old.txt': 'old' }],
        [live, { 'index.html': 'two', 'new.txt': 'new' }],
      ] as const) {
        const preview = (await ours.api.get(`/projects/${made.id}/preview?version=${entry?.id}`)).expect(200).body;
        const days = (Date.parse(preview.expires_at) - Date.now()) / 86_400_000;
        expect(days > 7 && days <= 8).toBe(true);
        expect((await visit(origin, preview.preview_url)).text).toBe(files['index.html']);
        const zip = await ours.api.raw(`/projects/${made.id}/export?version=${entry?.id}`);
        expect(entriesOf(await zip.arrayBuffer())).toEqual(files);
      }
      for (const read of ['preview', 'export']) {
        (await ours.api.get(`/projects/${made.id}/${read}?version=${randomUUID()}`)).expect(404, 'revision_not_found');
      }
    });

    test('restoreRevision, rollBackDeploy: a deploy becomes the draft again, and the live site', async () => {
      const first = (await history()).at(-1);
      const { revision } = (await ours.api.post(`${at(made)}/${first?.id}/restore`, {})).expect(200).body;
      expect(revision).toMatchObject({ origin: 'restore', current: true });
      expect(await (await ours.api.raw(`/projects/${made.id}/files/old.txt`)).text()).toBe('old');
      (await ours.api.post(`/projects/${made.id}/deploys/${first?.id}/rollback`, {})).expect(200);
      expect((await history()).filter(({ live }) => live).map(({ id }) => id)).toEqual([first?.id]);
      expect((await changes(revision.id)).changes).toEqual([]);
    });

    test("listHistory, listChanges, getPreview: other organizations get 404, and a client's user reads no name of the agency's people", async () => {
      const other = await agency();
      const id = (await history())[0]?.id;
      (await other.api.get(`/projects/${made.id}/history`)).expect(404, 'project_not_found');
      (await other.api.get(`${at(made)}/${id}/changes`)).expect(404, 'revision_not_found');
      (await other.api.get(`/projects/${made.id}/preview?version=${id}`)).expect(404, 'project_not_found');
      const boss = await owner();
      const { person: client, client: record } = await clientUser(boss);
      const project = await makeProject(boss.api, record);
      const namesFor = async (api: Api) =>
        (await api.get(`/projects/${project.id}/history`))
          .expect(200)
          .body.history.map((entry: HistoryEntry) => entry.author?.name ?? null);
      (await boss.api.put(`/projects/${project.id}/files/index.html`, { file: 'agency' })).expect(200);
      (await client.api.put(`/projects/${project.id}/files/index.html`, { file: 'client' })).expect(200);
      const [own, theirs] = await namesFor(client.api);
      expect([typeof own, theirs]).toEqual(['string', null]);
      expect((await namesFor(boss.api)).map((name: string | null) => typeof name)).toEqual(['string', 'string']);
    });
  });

  test('exportProject: answers 404 to an unknown project', async () => {
    (await ours.api.get(`/projects/${randomUUID()}/export`)).expect(404, 'project_not_found');
  });
});
