import { randomBytes, randomUUID } from 'node:crypto';
import { type Agency, agency } from '../harness/agency.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { makeProject } from './fixtures.ts';

const [origin = ''] = sharedPlatform().origins;

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
