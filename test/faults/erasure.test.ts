import { setTimeout as pause } from 'node:timers/promises';
import { dataServiceNames } from '@webkiln/messages';
import { MongoClient } from 'mongodb';
import { eventually } from '../harness/agency.ts';
import { fullOrganization } from '../harness/full-organization.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { addMember, deleteOrganization, eraseNow, listOrganizations, restoreOrganization, resume } from '../harness/operator.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { traces as tracesIn } from '../harness/traces.ts';
import { visit } from '../harness/visitor.ts';

jest.setTimeout(600_000);

let platform: TestPlatform;
let store: MongoClient;
beforeAll(async () => {
  platform = await startPlatform({
    env: { ERASURE_POLL_MS: '200', ERASURE_QUIET_MS: '3000', ...localReceivers, TRUSTED_PROXIES: '127.0.0.1,::1' },
  });
  store = await new MongoClient(platform.facts.urls.MONGODB_URL).connect();
});
afterAll(async () => {
  await store.close();
  await platform?.[Symbol.asyncDispose]();
});

const traces = (text: string) => tracesIn(store, text);

const isErased = async (id: string) => {
  const found = (await listOrganizations()).organizations.find((organization) => organization.id === id);
  expect(found?.erased_at).toBeDefined();
  return found;
};

/** What an erasure keeps: the organization's id and dates, in each service, and ids in its audit log. */
const kept = /(_identity\.(organizations|audit_entries|audit_heads)|\.erased_organizations)$/;

test('after an erasure no database has anything of the organization but its id, its dates and the ids in its audit log', async () => {
  const { facts } = platform;
  const [ours, theirs] = [await fullOrganization(facts), await fullOrganization(facts)];
  const before = await traces(ours.id);
  for (const service of dataServiceNames) expect(Object.keys(before).join(' ')).toContain(service.replace('-', '_'));
  const theirTraces = await traces(theirs.id);
  await deleteOrganization(ours.id);
  await eraseNow(ours.id);
  await eventually(() => isErased(ours.id));

  expect(Object.keys(await traces(ours.id)).filter((place) => !kept.test(place))).toEqual([]);
  expect(await traces(ours.mark)).toEqual({});
  expect(await traces(ours.boss.email)).toEqual({});
  expect((await isErased(ours.id))?.name).toBe('erased');
  expect((await visit(facts.origins[0] ?? '', theirs.project.url)).text).toContain(theirs.mark);
  const theirsAfter = await traces(theirs.id);
  const fewer = Object.entries(theirTraces).filter(([place, count]) => (theirsAfter[place] ?? 0) < count);
  expect(fewer).toEqual([]);
  expect((await theirs.api.get('/projects')).expect(200).body.total).toBe(1);
});

test('an erasure whose services are killed in between ends the same', async () => {
  const ours = await fullOrganization(platform.facts);
  await eraseNow(ours.id);
  for (const service of dataServiceNames) {
    await pause(Math.random() * 300);
    await platform.replace(service);
  }
  await eventually(() => isErased(ours.id));
  expect(Object.keys(await traces(ours.id)).filter((place) => !kept.test(place))).toEqual([]);
  expect(await traces(ours.mark)).toEqual({});
});

test('a person who belongs to another organization, too, keeps the account', async () => {
  const [ours, theirs] = [await fullOrganization(platform.facts), await fullOrganization(platform.facts)];
  (await theirs.api.get('/account/session')).expect(200);
  const shared = ours.boss.email;
  await addMember(theirs.id, shared);
  await eraseNow(ours.id);
  await eventually(() => isErased(ours.id));
  (await ours.boss.signIn()).expect(200);
  expect((await ours.boss.api.get('/account/session')).expect(200).body.organization.id).toBe(theirs.id);
});

test('until its day comes a deleted organization is restored as it was; it cannot be resumed, nor restored later', async () => {
  const ours = await fullOrganization(platform.facts);
  const before = await traces(ours.mark);
  const { organization } = await deleteOrganization(ours.id);
  const days = (Date.parse(organization?.erase_at ?? '') - Date.now()) / (24 * 3600_000);
  expect(Math.round(days)).toBe(30);
  await eventually(async () => (await ours.api.get('/projects')).expect(403, 'organization_suspended'));
  await expect(resume(ours.id)).rejects.toMatchObject({ code: 'validation_failed' });
  await restoreOrganization(ours.id);
  await restoreOrganization(ours.id);
  await eventually(async () => (await ours.api.get('/projects')).expect(200));
  const after = await traces(ours.mark);
  expect(Object.keys(before).filter((place) => !(place in after) && !/outbox|mail/.test(place))).toEqual([]);
  await eraseNow(ours.id);
  await eventually(() => isErased(ours.id));
  await expect(restoreOrganization(ours.id)).rejects.toMatchObject({ code: 'validation_failed' });
});
