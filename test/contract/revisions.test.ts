import { randomUUID } from 'node:crypto';
import { type Project, Revision } from '@webkiln/contract';
import { strFromU8, unzipSync } from 'fflate';
import { type Agency, agency } from '../harness/agency.ts';
import type { Api } from '../harness/api.ts';
import { makeProject } from './fixtures.ts';

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

test('exportProject: answers 404 to an unknown project', async () => {
  (await ours.api.get(`/projects/${randomUUID()}/export`)).expect(404, 'project_not_found');
});
