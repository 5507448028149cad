import { randomBytes, randomUUID } from 'node:crypto';
import { type Project, SiteDomain } from '@webkiln/contract';
import { type Agency, agency } from '../harness/agency.ts';
import { owner, type Person } from '../harness/person.ts';
import { makeProject } from './fixtures.ts';

let boss: Person;
let project: Project;

beforeAll(async () => {
  boss = await owner();
  project = await makeProject(boss.api, undefined, { name: `Shop ${randomBytes(6).toString('hex')}` });
  (await boss.api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Home' } })).expect(200);
});

const at = (id = project.id) => `/projects/${id}/domains`;
const someName = () => `www.${randomBytes(8).toString('hex')}.test`;

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
