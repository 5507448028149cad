import { randomUUID } from 'node:crypto';
import { call, type RequestOf } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { nextMillisecond, requestsOn, testCaller } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { dropSiteSlots } from '../site-slots-store.ts';
import { newProject, newTemplate, present, refusal, repeatable, textsOf, writeDraft } from '../testing/calls.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';
import { origin, previewOrigin, sitesOrigin, useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { createProject } from './create-project.ts';
import { siteAddressesAt } from './project.ts';
import { ProjectModel } from './project-store.ts';

const stream = useProjectsTemplates();

describe('create project', () => {
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
});

describe('update project', () => {
  type Change = Omit<RequestOf<'projects.UpdateProject'>, 'project_id' | 'update_mask'>;

  const update = (org: string, project_id: string, change: Change, ifMatch?: string) =>
    call('projects.UpdateProject', { project_id, ...change, update_mask: Object.keys(change) }, testCaller(org, { ifMatch }));

  test('an update changes the given fields, updated_at and the ETag only', async () => {
    const org = randomUUID();
    const before = await newProject(org, { name: 'Before' });
    await nextMillisecond();
    const change = { name: 'After', description: 'Text', status: 'archived', tags: ['a', 'b'], starred: true, is_public: true };
    const { project, etag } = await update(org, before.id, change);
    expect(project).toEqual({ ...before, ...change, updated_at: expect.any(String) });
    expect(present(project).updated_at > before.updated_at).toBe(true);
    expect(etag).toBe('"r2"');
    expect(await call('projects.GetProject', { project_id: before.id }, testCaller(org))).toEqual({ project, etag });
  });

  test('null clears the description, an empty list the tags', async () => {
    const org = randomUUID();
    const { id } = await newProject(org);
    await update(org, id, { description: 'Text', tags: ['a'] });
    const { project } = await update(org, id, { description: null, tags: [] });
    expect(present(project).description).toBeUndefined();
    expect(present(project).tags).toEqual([]);
  });

  test('an update without a difference keeps updated_at and the ETag', async () => {
    const org = randomUUID();
    const before = await newProject(org, { name: 'Same' });
    expect(await update(org, before.id, { name: 'Same', tags: [], starred: false })).toEqual({ project: before, etag: '"r1"' });
    expect(await update(org, before.id, {})).toEqual({ project: before, etag: '"r1"' });
  });

  test('an update publishes no public event', async () => {
    const org = randomUUID();
    await update(org, (await newProject(org)).id, { name: 'After' });
    expect(await publishedEvents(stream, org)).toMatchObject([{ type: 'project.created' }]);
  });

  test('a stale If-Match is rejected and changes nothing', async () => {
    const org = randomUUID();
    const before = await newProject(org);
    await expect(update(org, before.id, { name: 'After' }, '"r7"')).rejects.toEqual(refusal('edited_meanwhile'));
    expect(await call('projects.GetProject', { project_id: before.id }, testCaller(org))).toMatchObject({ project: before });
    expect(await update(org, before.id, { name: 'After' }, '"r1"')).toMatchObject({ project: { name: 'After' } });
  });

  test('without If-Match concurrent updates of different fields all take effect', async () => {
    const org = randomUUID();
    const { id } = await newProject(org);
    await Promise.all([update(org, id, { name: 'After' }), update(org, id, { starred: true }), update(org, id, { tags: ['a'] })]);
    const { project } = await call('projects.GetProject', { project_id: id }, testCaller(org));
    expect(project).toMatchObject({ name: 'After', starred: true, tags: ['a'] });
  });
});

describe('delete project', () => {
  const remove = (org: string, project_id: string, ifMatch?: string) =>
    call('projects.DeleteProject', { project_id }, testCaller(org, { ifMatch }));

  test('a deleted project is not found or listed, and its deletion is published once', async () => {
    const org = randomUUID();
    const client = fakeClient(org);
    const { id } = await newProject(org, { client });
    expect(await remove(org, id)).toEqual({ deleted: true, id });
    await expect(call('projects.GetProject', { project_id: id }, testCaller(org))).rejects.toEqual(refusal('project_not_found'));
    expect(await call('projects.ListProjects', { limit: 50 }, testCaller(org))).toEqual({ projects: [], total: 0, next_cursor: '' });
    expect(await publishedEvents(stream, org)).toMatchObject([
      { type: 'project.created' },
      { type: 'internal.project.deleted', data: { project_id: id, org_client_id: client.client_id } },
    ]);
  });

  test('a repeated delete answers project_not_found', async () => {
    const org = randomUUID();
    const { id } = await newProject(org);
    await remove(org, id);
    await expect(remove(org, id)).rejects.toEqual(refusal('project_not_found'));
  });

  test('the site slot of a deleted project is free at once', async () => {
    const org = randomUUID();
    const client = fakeClient(org, { max_sites: 1 });
    const { id } = await newProject(org, { client });
    await remove(org, id);
    await newProject(org, { client });
    await expect(newProject(org, { client })).rejects.toEqual(refusal('plan_limit_reached'));
  });

  test('of concurrent deletes exactly one succeeds', async () => {
    const org = randomUUID();
    const { id } = await newProject(org);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => remove(org, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toEqual(refusal('project_not_found'));
    }
  });

  test('a stale If-Match keeps the project', async () => {
    const org = randomUUID();
    const { id } = await newProject(org);
    await expect(remove(org, id, '"r2"')).rejects.toEqual(refusal('edited_meanwhile'));
    expect(await remove(org, id, '"r1"')).toEqual({ deleted: true, id });
  });
});

describe('get project', () => {
  test.each([randomUUID(), 'nonsense', '', '{"$ne":1}'])('the id %j is not found', async (project_id) => {
    await expect(call('projects.GetProject', { project_id }, testCaller(randomUUID()))).rejects.toEqual(refusal('project_not_found'));
  });

  test('200 concurrent reads of several organizations become few queries by id, and each gets its own project only', async () => {
    const organizations = Array.from({ length: 4 }, () => randomUUID());
    const projects = await Promise.all(organizations.map((org) => newProject(org)));
    const read = (index: number) => {
      const [project, org] = [projects[index % 4], organizations[Math.floor(index / 4) % 4]];
      return call('projects.GetProject', { project_id: project?.id }, testCaller(org ?? ''));
    };
    let outcomes: PromiseSettledResult<{ project: object | null }>[] = [];
    const operations = await requestsOn('projects', async () => {
      outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => read(index)));
    });
    for (const [index, outcome] of outcomes.entries()) {
      const own = index % 4 === Math.floor(index / 4) % 4;
      if (own) expect(outcome).toMatchObject({ value: { project: projects[index % 4] } });
      else expect(outcome).toEqual({ status: 'rejected', reason: refusal('project_not_found') });
    }
    expect(operations.length).toBeLessThanOrEqual(20);
    for (const { planSummary } of operations) expect(planSummary).toMatch(/^IXSCAN { _id: 1 }|^IDHACK/);
  });
});

describe('site slots', () => {
  test('a start deletes the site slots of earlier versions, and later starts find none', async () => {
    const names = async () => (await mongoose.connection.listCollections()).map(({ name }) => name);
    await mongoose.connection.createCollection('site_slots');
    await newProject(randomUUID());
    await dropSiteSlots();
    await dropSiteSlots();
    expect(await names()).toContain('projects');
    expect(await names()).not.toContain('site_slots');
  });
});
