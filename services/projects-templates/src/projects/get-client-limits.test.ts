import { randomUUID } from 'node:crypto';
import { type Caller, callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller } from '@webkiln/store/testing';
import { newProject, refusal } from '../testing/calls.ts';
import { person, someName, useDomains } from '../testing/claimed-domains.ts';
import { fakeClient } from '../testing/fake-clients-plans.ts';

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
  expect(await limitsOf(org, client.client_id)).toMatchObject([{ limit: 'max_sites', allowed: 2, used: 3, is_exceeded: true }, {}, {}, {}]);
  await expect(newProject(org, { client })).rejects.toEqual(refusal('plan_limit_reached'));
});
