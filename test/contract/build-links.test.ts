import { randomUUID } from 'node:crypto';
import { BuildLink } from '@webkiln/contract';
import { agency, eventually } from '../harness/agency.ts';
import { setLimit } from '../harness/operator.ts';
import { owner, type Person } from '../harness/person.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { makeTemplate } from './fixtures.ts';

const path = '/account/build-links';
const origin = sharedPlatform().origins[0] ?? '';
const prompt = 'A site for a bakery in Lyon';

let ada: Person;
let eve: Person;
beforeAll(async () => {
  await agency(); // connects the operator
  [ada, eve] = await Promise.all([owner(), owner()]);
});

const make = async (body: object = { prompt }) => (await ada.api.post(path, body)).expect(201).body.build_link as BuildLink;
/** What a stranger's browser reads. */
const opened = (id: string) => fetch(`${origin}/api/build-links/${id}`);
const refusal = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code];

test('createBuildLink: answers 201 with an address that expires, and a repeat with the same key makes no second one', async () => {
  const key = { 'Idempotency-Key': randomUUID() };
  const { build_link } = (await ada.api.post(path, { prompt, model: 'chat', expires_in_days: 2 }, key)).expect(201).body;
  expect(BuildLink.safeParse(build_link).success).toBe(true);
  expect(build_link).toMatchObject({ prompt, template_id: null, model: 'chat', url: `${origin}/build?l=${build_link.id}` });
  expect(Date.parse(build_link.expires_at) - Date.parse(build_link.created_at)).toBe(2 * 86_400_000);
  expect((await ada.api.post(path, { prompt, model: 'chat', expires_in_days: 2 }, key)).expect(201).body.build_link.id).toBe(build_link.id);
});

test('createBuildLink: answers 400 without prompt and template, and for days beyond a year', async () => {
  (await ada.api.post(path, {})).expect(400, 'validation_failed');
  (await ada.api.post(path, { prompt, expires_in_days: 366 })).expect(400, 'validation_failed');
});

test('createBuildLink: answers 404 template_not_found to an unknown template, and to another organization’s', async () => {
  const foreign = await makeTemplate(eve.api);
  for (const template_id of [randomUUID(), foreign.id]) (await ada.api.post(path, { template_id })).expect(404, 'template_not_found');
});

test('createBuildLink: answers 403 quota_exceeded beyond the quota of build links', async () => {
  const { api } = await owner();
  const orgId = (await api.get('/account/session')).expect(200).body.organization.id;
  await setLimit(orgId, 'build_links', 0);
  // A limit reaches the service within a second.
  await eventually(async () => (await api.post(path, { prompt })).expect(403, 'quota_exceeded'));
});

test('listBuildLinks: answers 200 with the links of the organization, newest first, and with none of another', async () => {
  const [first, second] = [await make(), await make({ template_id: (await makeTemplate(ada.api)).id })];
  const { build_links } = (await ada.api.get(`${path}?limit=2`)).expect(200).body;
  expect(build_links).toEqual([second, first]);
  expect((await eve.api.get(path)).expect(200).body.build_links).toEqual([]);
});

test('a stranger reads what a link asks for, and no more; after deleteBuildLink it is gone', async () => {
  const { id } = await make();
  const shown = await opened(id);
  const organization = { id: expect.any(String), slug: expect.any(String), name: expect.any(String), logo: null, accent: null };
  expect([shown.status, await shown.json()]).toEqual([200, { prompt, template_id: null, model: null, organization }]);
  expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
  (await eve.api.delete(`${path}/${id}`)).expect(404, 'build_link_not_found');
  expect((await ada.api.delete(`${path}/${id}`)).expect(200).body).toEqual({ deleted: true, id });
  (await ada.api.delete(`${path}/${id}`)).expect(404, 'build_link_not_found');
  expect(await refusal(await opened(id))).toEqual([404, 'build_link_not_found']);
  expect(await refusal(await opened('nonsense'))).toEqual([404, 'build_link_not_found']);
});
