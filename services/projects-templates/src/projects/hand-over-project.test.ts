import { randomBytes, randomUUID } from 'node:crypto';
import { quiet } from '@webkiln/events/testing';
import { actorOf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { testCaller, until } from '@webkiln/store/testing';
import { onClientUpdated } from '../reactions/on-client-updated.ts';
import { newProject, present, publish, refusal, repeatable, sites, textsOf } from '../testing/calls.ts';
import { actors, fakeClient, fakeMember } from '../testing/fake-clients-plans.ts';
import { useProjectsTemplates } from '../testing/running-service.ts';
import { publishedEvents } from '../testing/test-stream.ts';
import { countSites } from './project-places.ts';

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
