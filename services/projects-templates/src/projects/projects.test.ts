import { randomBytes, randomUUID } from 'node:crypto';
import { Project } from '@webkiln/contract';
import { quiet } from '@webkiln/events/testing';
import { actorOf, type Caller, callerFor, servicePrincipal } from '@webkiln/messages';
import { call, type RequestOf } from '@webkiln/rpc';
import { scoped } from '@webkiln/store';
import { nextMillisecond, requestsOn, testCaller, until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { onClientUpdated } from '../reactions/on-client-updated.ts';
import { dropSiteSlots } from '../site-slots-store.ts';
import { newProject, newTemplate, present, publish, refusal, repeatable, sites, textsOf, writeDraft } from '../testing/calls.ts';
import { person, someName, useDomains } from '../testing/claimed-domains.ts';
import { actors, fakeClient, fakeMember } from '../testing/fake-clients-plans.ts';
import { origin, previewOrigin, sitesOrigin, useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { createProject } from './create-project.ts';
import {
  assertCanOwnProject,
  canBeInName,
  changeProject,
  initialProject,
  isStatus,
  projectDeleted,
  siteAddressesAt,
  toProject,
} from './project.ts';
import { countSites } from './project-places.ts';
import type { ProjectState } from './project-state.ts';
import { ProjectModel } from './project-store.ts';

describe('projects', () => {
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
        expect.objectContaining({
          type: 'project.created',
          data: { project: expect.objectContaining({ ...project, published_url: null }) },
        }),
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
      expect(await createProject({ origin, siteAddresses: siteAddressesAt(sitesOrigin, previewOrigin) }).run(request, caller)).toEqual(
        first,
      );
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
});

describe('project', () => {
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  const draft = {
    _id: ids[0] ?? '',
    org_id: ids[1] ?? '',
    user_id: ids[2] ?? '',
    org_client_id: ids[3] ?? '',
    name: 'Bakery',
    description: null,
    template: ids[4] ?? '',
    draft_manifest_id: 'abc',
  };
  const siteAddresses = siteAddressesAt('https://sites.example.net', 'https://preview.example.net');
  const created = '2026-03-01T10:00:00.000Z';
  const later = '2026-03-02T10:00:00.000Z';

  test('a new project is active, unpublished and matches the contract, also in its event', () => {
    const { state, events } = initialProject(draft, siteAddresses, created);
    const project = Project.strict().parse(toProject(state, siteAddresses));
    expect(project).toMatchObject({ id: draft._id, status: 'active', template: draft.template, published_url: null, created_at: created });
    expect(events).toEqual([{ type: 'project.created', data: { project } }]);
  });

  test.each(['invited', 'suspended', 'churned'])('a client that is %s cannot own a project', (status) => {
    expect(() => assertCanOwnProject({ status })).toThrow(expect.objectContaining({ code: 'client_not_active' }));
  });

  test('an active client can own a project', () => {
    expect(() => assertCanOwnProject({ status: 'active' })).not.toThrow();
  });

  test('a change contains only fields that differ, and updated_at', () => {
    const { state } = initialProject(draft, siteAddresses, created);
    const wanted = { name: 'Bakery', description: 'Fresh', tags: ['food'], starred: false };
    expect(changeProject(state, wanted, later)?.state).toEqual({ description: 'Fresh', tags: ['food'], updated_at: later });
  });

  test('null clears the description', () => {
    const { state } = initialProject({ ...draft, description: 'Old' }, siteAddresses, created);
    expect(changeProject(state, { description: null }, later)?.state).toEqual({ description: null, updated_at: later });
  });

  test('equal fields are no change', () => {
    const { state } = initialProject(draft, siteAddresses, created);
    expect(changeProject({ ...state, tags: ['a'] }, { name: 'Bakery', tags: ['a'] }, later)).toBeNull();
  });

  test('fields that callers must not set are ignored', () => {
    const { state } = initialProject(draft, siteAddresses, created);
    expect(changeProject(state, { org_id: 'other', draft_manifest_id: 'other' } as object, later)).toBeNull();
  });

  test('a deletion raises an event with project and client, and another if a site was published', () => {
    const { state } = initialProject(draft, siteAddresses, created);
    const deleted = { type: 'internal.project.deleted', data: { project_id: draft._id, org_client_id: draft.org_client_id } };
    expect(projectDeleted(state)).toEqual([deleted]);
    const siteChange = { type: 'internal.site.changed', data: { project_id: draft._id, name: 'bakery' } };
    expect(projectDeleted({ ...state, subdomain: 'bakery' })).toEqual([deleted, siteChange]);
  });

  test('a document that is older than publishing is an unpublished project', () => {
    const { subdomain: _subdomain, last_published_at: _at, ...state } = initialProject(draft, siteAddresses, created).state;
    expect(toProject(state as ProjectState, siteAddresses)).toMatchObject({
      subdomain: null,
      published_url: null,
      last_published_at: null,
    });
  });

  test.each([
    ['', true],
    ['.*', true],
    ['x'.repeat(200), true],
    ['x'.repeat(201), false],
    ['a\0', false],
  ])('%j may be part of a name: %s', (part, possible) => {
    expect(canBeInName(part)).toBe(possible);
  });

  test.each([
    ['active', true],
    ['archived', true],
    ['Active', false],
    ['toString', false],
  ])('%j is a status: %s', (text, known) => {
    expect(isStatus(text)).toBe(known);
  });
});

describe('get client limits', () => {
  useDomains();

  /** A signed-in user of a client. */
  const userOf = (org: string, { user_id, client_id }: { user_id: string; client_id: string }): Caller =>
    testCaller(org, { principal: { ...testCaller(org).principal, kind: 'session', role: 'client', user_id, client_id } });
  const studio = { id: randomUUID(), name: 'Studio', allowed: 1200 };
  const limitsOf = async (org: string, client_id: string, plan_id?: string) =>
    (await call('projects.GetClientLimits', { client_id, ...(plan_id !== undefined && { plan_id }) }, testCaller(org))).limits;
  const projectsOf = async (org: string) => (await call('projects.ListProjects', { limit: 50, offset: 0 }, testCaller(org))).total;

  describe('what a plan refuses names the limit, what is used, and the plan on offer that allows more', () => {
    test('a site, to members', async () => {
      const org = randomUUID();
      const client = fakeClient(org, { max_sites: 1, better: studio });
      await newProject(org, { client });
      await expect(newProject(org, { client })).rejects.toMatchObject({
        code: 'plan_limit_reached',
        message: "With the client's plan Care, 1 site is allowed, and 1 is used; the plan Studio allows 1,200: give the client that one.",
        details: [{ path: '', plan_limit: { limit: 'max_sites', allowed: 1, used: 1, plan: { id: studio.id, name: 'Studio' } } }],
      });
    });

    test('a site, where no plan allows more', async () => {
      const org = randomUUID();
      const client = fakeClient(org, { max_sites: 0 });
      await expect(newProject(org, { client })).rejects.toMatchObject({
        message:
          "With the client's plan Care, 0 sites are allowed, and 0 are used; no plan on offer allows more: make one that does, or change one.",
        details: [{ plan_limit: { limit: 'max_sites', allowed: 0, used: 0, plan: null } }],
      });
    });

    test.each([
      [
        'export_not_allowed',
        'can_export_code',
        'downloads of the site',
        (project_id: string, caller: Caller) => call('projects.ExportProject', { project_id }, caller),
      ],
      [
        'custom_domain_not_allowed',
        'can_use_custom_domain',
        'custom domains',
        (project_id: string, caller: Caller) => call('projects.AddDomain', { project_id, domain: someName() }, caller),
      ],
    ] as const)('%s, to the client', async (code, limit, things, ask) => {
      const org = randomUUID();
      const client = fakeClient(org, { rights: { can_export_code: false, can_use_custom_domain: false }, better: studio });
      const { id } = await newProject(org, { client });
      await expect(ask(id, userOf(org, client))).rejects.toMatchObject({
        code,
        message: `With your plan Care, ${things} are not included; the plan Studio includes them: ask your agency for it.`,
        details: [{ plan_limit: { limit, allowed: 0, used: null, plan: { name: 'Studio' } } }],
      });
    });

    test('nothing more, where looking for that plan fails', async () => {
      const org = randomUUID();
      const client = fakeClient(org, { max_sites: 0, better: 'failing' });
      await expect(newProject(org, { client })).rejects.toMatchObject({ code: 'plan_limit_reached', details: [] });
    });
  });

  describe('a plan that allows less than is used', () => {
    test('deletes nothing, and lets nothing new in until what is there fits', async () => {
      const org = randomUUID();
      const client = fakeClient(org, { max_sites: 3 });
      const sites = [await newProject(org, { client }), await newProject(org, { client }), await newProject(org, { client })];
      client.max_sites = 1;
      expect(await projectsOf(org)).toBe(3);
      for (const site of sites) {
        await expect(newProject(org, { client })).rejects.toEqual(refusal('plan_limit_reached'));
        await call('projects.DeleteProject', { project_id: site.id }, testCaller(org));
      }
      await newProject(org, { client });
    });

    test('is seen before it is chosen, with what that means', async () => {
      const org = randomUUID();
      const client = fakeClient(org, { max_sites: 3 });
      const { id } = await newProject(org, { client });
      await newProject(org, { client });
      for (const domain of [someName(), someName()]) await call('projects.AddDomain', { project_id: id, domain }, person(org));
      expect((await limitsOf(org, client.client_id)).filter(({ is_exceeded }) => is_exceeded)).toEqual([]);
      const follows = 'nothing is deleted, and no more can be added';
      expect((await limitsOf(org, client.client_id, randomUUID())).filter(({ is_exceeded }) => is_exceeded)).toEqual([
        {
          ...{ limit: 'max_sites', allowed: 1, used: 2, is_exceeded: true },
          message: `With the plan Care, 1 site is allowed, and the client has 2: ${follows} until it fits.`,
        },
        {
          ...{ limit: 'can_use_custom_domain', allowed: 0, used: 2, is_exceeded: true },
          message: `With the plan Care, custom domains are not included, and the client has 2: ${follows}.`,
        },
      ]);
    });
  });

  test('sites that come with a user to its client count on the plan at once, also those that are too many', async () => {
    const org = randomUUID();
    const client = fakeClient(org, { max_sites: 2 });
    const user_id = randomUUID();
    const embed = (more: object = {}): Caller => callerFor({ ...servicePrincipal('embed', org), ...more }, { timeoutMs: 120_000 });
    for (let at = 0; at < 3; at += 1) {
      const request = { new_project_id: randomUUID(), name: 'Site', create: true };
      await call('projects.OpenUserProject', request, embed({ user_id }));
    }
    const moved = { from_user_id: user_id, user_id: client.user_id, client_id: client.client_id };
    expect(await call('projects.MoveProjects', moved, embed())).toEqual({ done: true });
    expect(await limitsOf(org, client.client_id)).toMatchObject([
      { limit: 'max_sites', allowed: 2, used: 3, is_exceeded: true },
      {},
      {},
      {},
    ]);
    await expect(newProject(org, { client })).rejects.toEqual(refusal('plan_limit_reached'));
  });
});

describe('hand over project', () => {
  const stream = useProjectsTemplates();
  beforeAll(onClientUpdated);

  type FakeClient = ReturnType<typeof fakeClient>;
  const handOver = (org: string, project_id: string, { email }: Pick<FakeClient, 'email'>, more = {}) =>
    call('projects.HandOverProject', { project_id, client_email: email }, testCaller(org, more));
  const suspended = async (name: string) => (await call('sites.ResolveSite', { name }, sites())).suspended;
  const named = () => `Site ${randomBytes(6).toString('hex')}`;

  /** A published site of a new client, and another client of the organization. */
  async function siteOfClient(limits: { max_sites?: number } = {}) {
    const org = randomUUID();
    const [client, next] = [fakeClient(org, { max_sites: 1 }), fakeClient(org, limits)];
    const { id } = await newProject(org, { client, name: named() });
    const project = present((await publish(org, id, { 'index.html': 'Hi' })).project);
    return { org, client, next, id, project, name: present(project.subdomain) };
  }

  test("the project is the other client's, with its files, deploys and address", async () => {
    const { org, next, id, project } = await siteOfClient();
    const before = await call('projects.ListDeploys', { project_id: id }, testCaller(org));
    const { project: moved } = await handOver(org, id, next);
    const { user_id, client_id: org_client_id } = next;
    expect(moved).toEqual({ ...project, user_id, org_client_id, updated_at: expect.any(String) });
    expect(await call('projects.ListDeploys', { project_id: id }, testCaller(org))).toEqual(before);
    expect(await textsOf(org, { project_id: id })).toEqual({ 'index.html': 'Hi' });
  });

  test('it counts on the sites of the client who has it, and a place is free again at the other', async () => {
    const { org, client, next, id } = await siteOfClient({ max_sites: 1 });
    await handOver(org, id, next);
    expect([await countSites(org, client.client_id), await countSites(org, next.client_id)]).toEqual([0, 1]);
    await newProject(org, { client });
    await expect(newProject(org, { client: next })).rejects.toEqual(refusal('plan_limit_reached'));
  });

  test('a client whose sites are used up gets no further one, and nothing changes', async () => {
    const { org, client, next, id } = await siteOfClient({ max_sites: 1 });
    await newProject(org, { client: next });
    await expect(handOver(org, id, next)).rejects.toEqual(refusal('plan_limit_reached'));
    const { project } = await call('projects.GetProject', { project_id: id }, testCaller(org));
    expect(project).toMatchObject({ org_client_id: client.client_id, user_id: client.user_id });
  });

  test('of ten projects handed over at once to a client with three sites three arrive', async () => {
    const org = randomUUID();
    const [client, next] = [fakeClient(org), fakeClient(org, { max_sites: 3 })];
    const projects = await Promise.all(Array.from({ length: 10 }, () => newProject(org, { client })));
    const outcomes = await Promise.allSettled(projects.map(({ id }) => handOver(org, id, next)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect([await countSites(org, next.client_id), await countSites(org, client.client_id)]).toEqual([3, 7]);
  });

  test('other services hear of a handover once; to the same client it changes nothing, not even the ETag', async () => {
    const { org, next, id, name } = await siteOfClient();
    const key = repeatable(`key ${org}`);
    const first = await handOver(org, id, next, key);
    await quiet(stream, 'projects-templates-on-client-updated');
    expect(await handOver(org, id, next, key)).toEqual(first);
    expect(await handOver(org, id, next)).toEqual(first);
    const events = (await publishedEvents(stream, org)).map(({ type, data }) => ({ type, data }));
    expect(events.slice(events.findIndex(({ type }) => type === 'internal.project.moved'))).toEqual([
      { type: 'internal.project.moved', data: { project_id: id } },
      { type: 'internal.site.changed', data: { project_id: id, name } },
    ]);
  });

  test.each(['invited', 'suspended', 'churned'])('a client that is %s gets no project', async (status) => {
    const { org, id } = await siteOfClient();
    await expect(handOver(org, id, fakeClient(org, { status }))).rejects.toEqual(refusal('client_not_active'));
  });

  test("an unknown client, a client and a project of another organization's are not found", async () => {
    const [{ org, id }, other] = [await siteOfClient(), await siteOfClient()];
    await expect(handOver(org, id, { email: 'nobody@example.com' })).rejects.toEqual(refusal('client_not_found'));
    await expect(handOver(org, id, other.next)).rejects.toEqual(refusal('client_not_found'));
    await expect(handOver(other.org, id, other.next)).rejects.toEqual(refusal('project_not_found'));
  });

  test("a member's address that nobody used takes a new project and one that is handed over, and the actor is named", async () => {
    const { org, id } = await siteOfClient();
    const [ada, ben] = [fakeMember(org), fakeMember(org)];
    expect(await newProject(org, { client: ada })).toMatchObject({ org_client_id: ada.client_id, user_id: ada.user_id });
    expect((await handOver(org, id, ben)).project).toMatchObject({ org_client_id: ben.client_id });
    expect([ada, ben].map(({ email }) => actors.get(email))).toEqual(Array(2).fill(actorOf(testCaller(org))));
    await expect(newProject(org, { client: fakeMember(randomUUID()) })).rejects.toEqual(refusal('client_not_found'));
  });

  test('the site of a suspended client is shown again once another client has it', async () => {
    const { org, client, next, id, name } = await siteOfClient();
    client.status = 'suspended';
    await publish(org, id, { 'index.html': 'Hi' });
    expect(await suspended(name)).toBe(true);
    await handOver(org, id, next);
    expect(await suspended(name)).toBe(false);
  });

  test('a client that is suspended during the handover has a suspended site', async () => {
    const { org, next, id, name } = await siteOfClient();
    // After its status was read; the event about it finds no project of this client.
    next.onLookup = () => setImmediate(() => Object.assign(next, { status: 'suspended' }));
    await handOver(org, id, next);
    await until(() => suspended(name));
  });
});
