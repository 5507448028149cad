import { randomUUID } from 'node:crypto';
import { call } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { testCaller } from '@webkiln/store/testing';
import { newProject, newTemplate, present, refusal, repeatable, textsOf, writeDraft } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { origin, previewOrigin, sitesOrigin, useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { createProject } from './create-project.ts';
import { ProjectModel } from './project-store.ts';
import { siteAddressesAt } from './site-addresses.ts';

const stream = useProjectsTemplates();

const projectsOf = (org_id: string) => scoped(ProjectModel, { org_id }).count({});

test('a project belongs to the client and its user, and the reply has the builder address', async () => {
  const org = randomUUID();
  const client = fakeClient(org);
  const request = { client_email: client.email, name: 'Bakery', description: 'Fresh' };
  const reply = await call('projects.CreateProject', request, testCaller(org));
  const project = present(reply.project);
  expect(project).toMatchObject({
    org_id: org,
    user_id: client.user_id,
    org_client_id: client.client_id,
    name: 'Bakery',
    description: 'Fresh',
    status: 'active',
    tags: [],
  });
  expect(project.template).toBeUndefined();
  expect(reply).toMatchObject({ builder_url: `${origin}/builder/${project.id}`, etag: '"r1"' });
  expect(await call('projects.GetProject', { project_id: project.id }, testCaller(org))).toEqual({ project, etag: '"r1"' });
});

test('project.created is published once, with the public record', async () => {
  const org = randomUUID();
  const project = await newProject(org);
  expect(await publishedEvents(stream, org)).toEqual([
    expect.objectContaining({ type: 'project.created', data: { project: expect.objectContaining({ ...project, published_url: null }) } }),
  ]);
});

test.each(['invited', 'suspended', 'churned'])('a client that is %s cannot get a project', async (status) => {
  const org = randomUUID();
  await expect(newProject(org, { client: fakeClient(org, { status }) })).rejects.toEqual(refusal('client_not_active'));
  expect(await projectsOf(org)).toBe(0);
});

test('an unknown client and a client of another organization get the same error', async () => {
  const org = randomUUID();
  await expect(newProject(org, { client: { email: 'nobody@example.com' } })).rejects.toEqual(refusal('client_not_found'));
  await expect(newProject(org, { client: fakeClient(randomUUID()) })).rejects.toEqual(refusal('client_not_found'));
});

test('an unknown template and a template of another organization get the same error, and use no site slot', async () => {
  const [org, other] = [randomUUID(), randomUUID()];
  const client = fakeClient(org, { max_sites: 1 });
  const foreign = await newTemplate(other);
  for (const template_id of [randomUUID(), 'nonsense', foreign.id]) {
    await expect(newProject(org, { client, template_id })).rejects.toEqual(refusal('template_not_found'));
  }
  await newProject(org, { client });
});

test('a project created from a template has its id and its files', async () => {
  const org = randomUUID();
  const source = await newProject(org);
  await writeDraft(org, source.id, { 'index.html': '<h1>Hi</h1>', 'a/b.css': 'a {}' });
  const template = await newTemplate(org, { source_project_id: source.id });
  const copy = await newProject(org, { template_id: template.id });
  expect(copy.template).toBe(template.id);
  expect(await textsOf(org, { project_id: copy.id })).toEqual({ 'index.html': '<h1>Hi</h1>', 'a/b.css': 'a {}' });
});

test('of 20 concurrent requests for a client with three site slots exactly three create a project', async () => {
  const org = randomUUID();
  const client = fakeClient(org, { max_sites: 3 });
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => newProject(org, { client })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refusal('plan_limit_reached'));
  }
  expect(await projectsOf(org)).toBe(3);
});

test('a client without a plan has no limit', async () => {
  const org = randomUUID();
  const client = fakeClient(org);
  await Promise.all(Array.from({ length: 10 }, () => newProject(org, { client })));
  expect(await projectsOf(org)).toBe(10);
});

test('a request repeated with its idempotency key creates one project and one event, and uses one site slot', async () => {
  const org = randomUUID();
  const client = fakeClient(org, { max_sites: 2 });
  const create = () =>
    call('projects.CreateProject', { client_email: client.email, name: 'Site' }, testCaller(org, repeatable(`key ${org}`)));
  const [first, second] = [await create(), await create()];
  expect(second).toEqual(first);
  expect(await projectsOf(org)).toBe(1);
  expect(await publishedEvents(stream, org)).toHaveLength(1);
  await newProject(org, { client });
  await expect(newProject(org, { client })).rejects.toEqual(refusal('plan_limit_reached'));
});

test('a retry after a lost reply returns the first project, even if the client or template changed since', async () => {
  const org = randomUUID();
  const client = fakeClient(org);
  const template = await newTemplate(org);
  const caller = testCaller(org, repeatable(`key ${org}`));
  const request = { client_email: client.email, name: 'Site', template_id: template.id };
  const first = await createProject({ origin, siteAddresses: siteAddressesAt(sitesOrigin, previewOrigin) }).run(request, caller);
  client.status = 'suspended';
  await call('templates.DeleteTemplate', { template_id: template.id }, testCaller(org));
  expect(await createProject({ origin, siteAddresses: siteAddressesAt(sitesOrigin, previewOrigin) }).run(request, caller)).toEqual(first);
  expect(await projectsOf(org)).toBe(1);
});
