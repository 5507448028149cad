import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { call, closePeers, connectPeers, peerState, type Serving } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import { testCaller, until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { bundledProgram } from '../../../tools/dev-platform/src/platform/bundle.ts';
import { newProject, present, publish, refusal, repeatable, visitedTexts } from './testing/calls.ts';
import { fakeClient, serveFakeClientsPlans } from './testing/fake-clients-plans.ts';
import { origin, previewSecret, signing } from './testing/running-service.ts';
import { publishedEvents, removeStream } from './testing/test-stream.ts';

const prefix = `test_${randomBytes(6).toString('hex')}_`;
const stream = { stream: `${prefix}EVENTS`, subjectPrefix: prefix };
const unreachable = '127.0.0.1:9';
let clients: Serving;
let service: ServiceProcess;

async function start(natsUrl = process.env.NATS_URL ?? ''): Promise<void> {
  service = await startProcess(await bundledProgram('services/projects-templates/src/main.ts'), {
    MONGODB_URL: process.env.MONGODB_URL ?? '',
    MONGODB_PREFIX: prefix,
    NATS_URL: natsUrl,
    EVENTS_PREFIX: prefix,
    PRINCIPAL_TRUSTED_KEYS: `gateway:${signing.publicKey},sites:${signing.publicKey}`,
    PRINCIPAL_SIGNING_KEY: signing.privateKey,
    CLIENTS_PLANS_ADDRESS: `127.0.0.1:${clients.port}`,
    IDENTITY_ADDRESS: '127.0.0.1:9',
    ORIGIN: origin,
    SITES_ORIGIN: 'http://sites.localhost:8080',
    PREVIEW_ORIGIN: 'http://preview.localhost:8080',
    PREVIEW_SECRET: previewSecret,
  });
  await connectAs('gateway');
}

async function connectAs(issuer: 'gateway' | 'sites'): Promise<void> {
  connectPeers({
    issuer,
    signingKey: signing.privateKey,
    transport: 'carried',
    addresses: { 'projects-templates': `127.0.0.1:${service.ports.grpc}` },
  });
  await until(() => peerState('projects-templates') === 'ready');
}

beforeAll(async () => {
  clients = await serveFakeClientsPlans(signing.publicKey);
  await mongoose.connect(process.env.MONGODB_URL ?? '', { dbName: `${prefix}_projects_templates` });
});
afterAll(async () => {
  await closePeers();
  await service.stop();
  await clients.drain();
  await removeStream(stream);
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
});

/** Expires the idempotency leases of requests that were running at the kill; until then their repeats are refused. */
const expireRequestLeases = () =>
  mongoose.connection.collection('repeatable_requests').updateMany({ outcome: { $exists: false } }, { $set: { lease_until: new Date(0) } });

/** Kills the service once half of the calls are acknowledged. Retries calls that a busy machine fails before that. */
async function killAtHalf(names: readonly string[], make: (name: string) => Promise<string>): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  let isKilled = false;
  const attempts = names.map(async (name) => {
    while (!isKilled && !acknowledged.has(name)) {
      const id = await make(name).catch(() => pause(50));
      if (id !== undefined) acknowledged.set(name, id);
    }
    if (isKilled || acknowledged.size < names.length / 2) return;
    isKilled = true;
    await service.kill();
  });
  await Promise.all(attempts);
  await closePeers();
  return acknowledged;
}

const org = randomUUID();
const sites = 40;
const client = fakeClient(org, { max_sites: sites });

async function create(name: string): Promise<string> {
  const reply = await call('projects.CreateProject', { client_email: client.email, name }, testCaller(org, repeatable(`${org} ${name}`)));
  return present(reply.project).id;
}

test('a service killed between writes loses no project, event or site slot, and retries create no duplicates', async () => {
  const names = Array.from({ length: sites }, (_, index) => `Site ${index}`);
  // Without NATS every event is still in its outbox at the kill.
  await start(`nats://${unreachable}`);
  const acknowledged = await killAtHalf(names, create);
  expect(acknowledged.size).toBeGreaterThanOrEqual(sites / 2);

  await start();
  const ids = new Map<string, string>();
  const answered = (name: string) =>
    create(name).then(
      (id) => ids.set(name, id).has(name),
      () => false,
    );
  await expireRequestLeases();
  for (const name of names) await until(() => answered(name));

  for (const [name, id] of acknowledged) expect(ids.get(name)).toBe(id);
  const created = (await publishedEvents(stream, org)).map(({ data }) => ('project' in data ? data.project.id : undefined));
  expect(created.toSorted()).toEqual([...ids.values()].toSorted());
  await expect(create('one too many')).rejects.toEqual(refusal('plan_limit_reached'));
});

test('a service killed during publishes loses no acknowledged site, and a retry is one deploy and one event', async () => {
  const tenant = randomUUID();
  const projects = await Promise.all(Array.from({ length: 12 }, () => newProject(tenant, { name: `Crash ${tenant}` })));
  const publishOne = async (id: string) => {
    return (await publish(tenant, id, { 'index.html': `<p>${id}</p>`.repeat(500) }, repeatable(`${tenant} ${id}`))).deployId;
  };
  const ids = projects.map(({ id }) => id);
  const acknowledged = await killAtHalf(ids, publishOne);
  expect(acknowledged.size).toBeGreaterThanOrEqual(projects.length / 2);

  await start();
  const deploys = new Map<string, string>();
  const answered = (id: string) =>
    publishOne(id).then(
      (deploy) => deploys.set(id, deploy).has(id),
      () => false,
    );
  await expireRequestLeases();
  for (const { id } of projects) await until(() => answered(id));
  for (const [id, deploy] of acknowledged) expect(deploys.get(id)).toBe(deploy);
  const names = new Map<string, string>();
  for (const { id } of projects) {
    const list = await call('projects.ListDeploys', { project_id: id, offset: 0 }, testCaller(tenant));
    expect(list.deploys).toMatchObject([{ id: deploys.get(id), live: true }]);
    const { project } = await call('projects.GetProject', { project_id: id }, testCaller(tenant));
    names.set(id, present(project?.subdomain));
  }
  await closePeers();
  await connectAs('sites');
  for (const [id, name] of names) expect(await visitedTexts(name)).toEqual({ 'index.html': `<p>${id}</p>`.repeat(500) });
  const published = (await publishedEvents(stream, tenant)).flatMap(({ type, data }) =>
    type === 'project.published' && 'project' in data ? [data.project.id] : [],
  );
  expect(published.toSorted()).toEqual([...deploys.keys()].toSorted());
});

test('a service that receives the stop signal exits with code 0', async () => {
  expect(await service.stop()).toBe(0);
});
