import { randomUUID } from 'node:crypto';
import { Project } from '@webkiln/contract';
import { owner, type Person } from '../harness/person.ts';
import { makeTemplate } from './fixtures.ts';

let ada: Person;
beforeAll(async () => {
  ada = await owner();
});

test('startBuild: answers 201 with an empty project without a client, which a retry answers with again', async () => {
  const again = { 'Idempotency-Key': randomUUID() };
  const { body } = (await ada.api.post('/account/build', { name: 'Bakery' }, again)).expect(201);
  expect(Project.safeParse(body.project).success).toBe(true);
  expect(body.project).toMatchObject({ name: 'Bakery', org_client_id: null, template: null, published_url: null });
  expect(body.builder_url).toContain(`/builder/${body.project.id}`);
  expect((await ada.api.post('/account/build', { name: 'Bakery' }, again)).expect(201).body.project.id).toBe(body.project.id);
  expect((await ada.api.get(`/projects/${body.project.id}/files`)).expect(200).body.files).toEqual([]);
});

test('startBuild: copies a template', async () => {
  const template = await makeTemplate(ada.api);
  const { project } = (await ada.api.post('/account/build', { name: 'Copy', template_id: template.id })).expect(201).body;
  expect(project.template).toBe(template.id);
  const files = async (of: string) => (await ada.api.get(of)).expect(200).body.files;
  expect(await files(`/projects/${project.id}/files`)).toEqual(await files(`/templates/${template.id}/files`));
});

test("startBuild: answers 404 template_not_found to an unknown template, and to another organization's", async () => {
  const foreign = await makeTemplate((await owner()).api);
  for (const template_id of [randomUUID(), foreign.id]) {
    (await ada.api.post('/account/build', { name: 'Copy', template_id })).expect(404, 'template_not_found');
  }
});
