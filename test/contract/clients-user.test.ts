import { randomUUID } from 'node:crypto';
import { makeView } from '../../services/analytics/src/testing/make-view.ts';
import { eventually } from '../harness/agency.ts';
import type { Api } from '../harness/api.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { clientUser } from '../harness/team.ts';
import { publishViews } from '../harness/views.ts';
import { sendForm } from '../harness/visitor.ts';
import { activeClient, makeProject } from './fixtures.ts';

const platform = sharedPlatform();
const page = { 'index.html': '<h1>Hi</h1>' };

interface Site {
  readonly id: string;
  readonly url: string;
  readonly submissionId: string;
}

let boss: Person;
/** The API as the client's user calls it. */
let api: Api;
let own: Site;
let foreign: Site;

/** Makes a published project of a client, with this many views and one form submission. */
async function visitedSite(client: Parameters<typeof makeProject>[1], views: number): Promise<Site> {
  const { id } = await makeProject(boss.api, client, { name: `Site ${randomUUID().slice(0, 8)}` });
  const { url } = (await boss.api.post(`/projects/${id}/publish`, { builtFiles: page })).expect(200).body;
  expect((await sendForm(platform.origins[0] ?? '', `${url}/_forms/contact`, { name: 'Ada' })).status).toBe(303);
  const [name = ''] = new URL(url).hostname.split('.');
  await publishViews(
    platform.urls.NATS_URL,
    Array.from({ length: views }, (_, view) => makeView(name, { visitor: `visitor-${view}-of-them`.slice(0, 16) })),
  );
  const { submissions } = (await boss.api.get(`/projects/${id}/forms/submissions`)).expect(200).body;
  return { id, url, submissionId: submissions[0].id };
}

beforeAll(async () => {
  boss = await owner();
  const [{ person, client }, neighbour] = [await clientUser(boss), await activeClient(boss.api)];
  api = person.api;
  [own, foreign] = [await visitedSite(client, 3), await visitedSite(neighbour, 2)];
});

test('getSession: returns the role client and the organization that the client belongs to', async () => {
  const { body } = (await api.get('/account/session')).expect(200);
  expect(body).toMatchObject({ role: 'client', organization: { name: `Studio ${boss.email}` } });
});

test('listProjects, getProject, updateProject, publishProject, deleteProject: a client manages only their own projects, and cannot delete them', async () => {
  expect((await api.get('/projects')).expect(200).body).toMatchObject({ total: 1, projects: [{ id: own.id }] });
  (await api.get(`/projects/${own.id}`)).expect(200);
  (await api.patch(`/projects/${own.id}`, { starred: true })).expect(200);
  (await api.post(`/projects/${own.id}/publish`, { builtFiles: page })).expect(200);
  (await api.get(`/projects/${own.id}/deploys`)).expect(200);
  (await api.get(`/projects/${own.id}/files`)).expect(200);
  (await api.delete(`/projects/${own.id}`)).expect(403, 'role_missing');
});

test('listForms, listSubmissions, updateFormSettings, updateSubmission, deleteSubmission: a client manages the forms of their own sites', async () => {
  const forms = `/projects/${own.id}/forms`;
  expect((await api.get(forms)).expect(200).body).toMatchObject({ total: 1, forms: [{ name: 'contact' }] });
  expect((await api.get(`${forms}/submissions`)).expect(200).body).toMatchObject({ submissions: [{ id: own.submissionId }] });
  const table = await api.raw(`${forms}/submissions`, { headers: { accept: 'text/csv' } });
  expect([table.status, await table.text()]).toEqual([200, expect.stringContaining(own.submissionId)]);
  (await api.patch(`${forms}/settings`, { notify: false })).expect(200);
  expect((await boss.api.get(`${forms}/settings`)).expect(200).body.settings.notify).toBe(false);
  (await api.patch(`${forms}/submissions/${own.submissionId}`, { spam: true })).expect(200);
  (await api.delete(`${forms}/submissions/${own.submissionId}`)).expect(200);
});

test('getAnalytics: a client reads the views of their own sites, one by one and in total', async () => {
  await eventually(async () => expect((await boss.api.get('/analytics')).expect(200).body.analytics.totalViews).toBe(5));
  for (const query of ['', `?project_id=${own.id}`]) {
    expect((await api.get(`/analytics${query}`)).expect(200).body.analytics.totalViews).toBe(3);
  }
});

test.each([
  ['getProject', 'GET', '', undefined],
  ['updateProject', 'PATCH', '', { name: 'Mine' }],
  ['listProjectFiles', 'GET', '/files', undefined],
  ['getProjectFile', 'GET', '/files/index.html', undefined],
  ['listDeploys', 'GET', '/deploys', undefined],
  ['publishProject', 'POST', '/publish', { builtFiles: page }],
  ['getPreview', 'GET', '/preview', undefined],
  ['listRevisions', 'GET', '/revisions', undefined],
  ['listForms', 'GET', '/forms', undefined],
  ['getFormSettings', 'GET', '/forms/settings', undefined],
  ['updateFormSettings', 'PATCH', '/forms/settings', { notify: false }],
  ['listSubmissions', 'GET', '/forms/submissions', undefined],
])("%s: answers 404 to another client's project with the same bytes as to an unknown one", async (_operation, method, path, body) => {
  const answers = [foreign.id, randomUUID(), 'nonsense'].map(async (id) => {
    const sent = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json', 'x-request-id': 'same' } };
    const answer = await api.raw(`/projects/${id}${path}`, { method, headers: { 'x-request-id': 'same' }, ...sent });
    return [answer.status, await answer.text()];
  });
  const [first, ...others] = await Promise.all(answers);
  expect(first?.[0]).toBe(404);
  expect(others).toEqual([first, first]);
});

test("getAnalytics, updateSubmission, deleteSubmission: another client's project answers as unknown and stays as it is", async () => {
  const same = { 'x-request-id': 'same' };
  for (const ask of [
    (id: string) => api.get(`/analytics?project_id=${id === foreign.submissionId ? foreign.id : id}`, same),
    (id: string) => api.patch(`/projects/${foreign.id}/forms/submissions/${id}`, { spam: true }, same),
    (id: string) => api.delete(`/projects/${foreign.id}/forms/submissions/${id}`, same),
  ]) {
    const [theirs, nobodys] = [await ask(foreign.submissionId), await ask(randomUUID())];
    expect([theirs.status, theirs.body]).toEqual([404, nobodys.body]);
  }
  const { submissions } = (await boss.api.get(`/projects/${foreign.id}/forms/submissions`)).expect(200).body;
  expect(submissions).toMatchObject([{ id: foreign.submissionId, spam: false }]);
});
