import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { dataServiceNames, type ProcessName, processes } from '@webkiln/messages';
import { processTls, startTls } from '@webkiln/runtime';
import { Authority, MountedCertificate } from '@webkiln/runtime/testing/certificates';
import { databaseNameOf, mongodbUrlWith } from '@webkiln/store/users';
import { MongoClient } from 'mongodb';
import { makeProject } from '../contract/fixtures.ts';
import { agency, eventually } from '../harness/agency.ts';
import { Agent } from '../harness/agent.ts';
import { embedPair, openEmbedSession } from '../harness/embed-session.ts';
import { localReceivers } from '../harness/local-receivers.ts';
import { owner } from '../harness/person.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';
import { sendForm, visit } from '../harness/visitor.ts';
import { WebhookReceiver } from '../harness/webhook-receiver.ts';

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

let platform: TestPlatform;
const mounts = new Map<string, MountedCertificate>();
beforeAll(async () => {
  const authority = await Authority.create();
  for (const name of [...Object.keys(processes), 'operator']) mounts.set(name, new MountedCertificate(await authority.issue(name)));
  const envOf = (name: ProcessName) => ({ ...mounts.get(name)?.env });
  platform = await startPlatform({ env: localReceivers, envOf });
  // This process calls as the operator.
  startTls({ ...mounts.get('operator')?.env });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  processTls()?.close();
  for (const mount of mounts.values()) mount[Symbol.dispose]();
});

test('with mutual TLS between all processes, sites, forms, views, webhooks, agents, people and sessions work', async () => {
  const { facts } = platform;
  const [origin = ''] = facts.origins;
  await using receiver = await WebhookReceiver.start();
  const ours = await agency(facts, { rateLimit: 10_000 });
  await ours.api.post('/webhooks', { url: receiver.url, events: ['project.published', 'form.submitted'] });
  const { id } = await makeProject(ours.api, undefined, { name: `Harbour ${crypto.randomUUID()}` });
  const { url } = (await ours.api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Fresh bread' } })).expect(200).body;
  await eventually(async () => expect((await visit(origin, url)).text).toContain('Fresh bread'));
  expect((await sendForm(origin, `${url}/_forms/contact`, { name: 'Ada' }, { origin: url })).status).toBe(303);
  expect((await visit(origin, `${url}/t.gif?p=/`, browser)).status).toBe(200);
  const events = () => receiver.received.map(({ body }) => JSON.parse(String(body)).type);
  await eventually(() => expect(events()).toEqual(expect.arrayContaining(['project.published', 'form.submitted'])));
  await eventually(async () => expect((await ours.api.get('/analytics')).expect(200).body.analytics.totalViews).toBe(1));
  expect(await new Agent(ours.api.key, { origin }).use('list_projects')).toMatchObject({ projects: [{ id }] });

  const ada = await owner({ platform: facts });
  const session = await openEmbedSession(await embedPair(ada), {}, {}, facts);
  expect((await session.api.get(`/projects/${session.project.id}/files`)).expect(200).body.files).toEqual([]);
  const { api, keyId } = await ours.makeKey(['read']);
  (await api.get('/plans')).expect(200);
  await ours.revokeKey(keyId);
  await eventually(async () => (await api.get('/plans')).expect(401));
});

test('no process was refused a subject by NATS, where each has a user of its own', () => {
  const log = readFileSync(path.join(platform.folder, 'logs/nats.log'), 'utf8');
  expect(log).toContain('Server is ready');
  expect(log.split('\n').filter((line) => /violation/i.test(line))).toEqual([]);
});

test('each process is known to MongoDB as its own user, and to no database of another service', async () => {
  const { facts, platform: processesHere } = platform;
  await using server = await MongoClient.connect(facts.urls.MONGODB_URL);
  const all = server.db('admin').aggregate([{ $currentOp: { allUsers: true, idleConnections: true } }]);
  const users = (await all.toArray()).flatMap(({ effectiveUsers = [] }) => effectiveUsers.map(({ user }: { user: string }) => user));
  const own = dataServiceNames.map((name) => databaseNameOf(name, 'webkiln'));
  expect([...new Set(users.filter((user) => user !== '__system'))].toSorted()).toEqual(own.toSorted());
  await using sites = await MongoClient.connect(
    mongodbUrlWith(facts.urls.MONGODB_URL, 'sites', 'webkiln', processesHere.secrets.mongodb_passwords),
  );
  expect(await sites.db('webkiln_sites').collection('forms').countDocuments()).toBeGreaterThanOrEqual(0);
  await expect(sites.db('webkiln_identity').collection('users').findOne()).rejects.toThrow('not authorized on webkiln_identity');
});

test('the folders of logs and mails are for their owner alone', () => {
  const modes = ['logs', 'mail'].map((name) => statSync(path.join(platform.folder, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700]);
});

test('no internal listener speaks without TLS', async () => {
  const { addresses } = platform.facts;
  for (const address of [addresses.IDENTITY_HTTP_ADDRESS, addresses.SITES_HTTP_ADDRESS, addresses.ANALYTICS_HTTP_ADDRESS]) {
    await expect(fetch(`http://${address}/`)).rejects.toThrow();
  }
});
