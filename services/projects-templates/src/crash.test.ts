import { randomBytes, randomUUID } from 'node:crypto';
import { call, closePeers, connectPeers, type Serving } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import { testCaller, until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { newProject, present, publish, refusal, repeatable, visited } from './testing/calls.ts';
import { knownClient, serveKnownClients } from './testing/known-clients.ts';
import { origin, previewSecret, signing } from './testing/running-service.ts';
import { publishedEvents, removeStream } from './testing/test-stream.ts';

const prefix = `test_${randomBytes(6).toString('hex')}_`;
const stream = { stream: `${prefix}EVENTS`, subjectPrefix: prefix };
const nobody = '127.0.0.1:9';
let clients: Serving;
let service: ServiceProcess;

async function start(natsUrl = process.env.NATS_URL ?? ''): Promise<void> {
  service = await startProcess(require.resolve('./main.ts'), {
    MONGODB_URL: process.env.MONGODB_URL ?? '',
    MONGODB_PREFIX: prefix,
    NATS_URL: natsUrl,
    EVENTS_PREFIX: prefix,
    PRINCIPAL_TRUSTED_KEYS: `test:${signing.publicKey}`,
    PRINCIPAL_SIGNING_KEY: signing.privateKey,
    CLIENTS_PLANS_ADDRESS: `127.0.0.1:${clients.port}`,
    ORIGIN: origin,
    PREVIEW_SECRET: previewSecret,
  });
  connectPeers({
    issuer: 'test',
    signingKey: signing.privateKey,
    transport: 'carried',
    addresses: { 'projects-templates': `127.0.0.1:${service.ports.grpc}` },
  });
}

beforeAll(async () => {
  clients = await serveKnownClients(signing.publicKey);
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

/** As if the deadlines had passed: a request that was running when the process died is refused until its own has. */
const endLeases = () =>
  mongoose.connection.collection('repeatable_requests').updateMany({ outcome: { $exists: false } }, { $set: { lease_until: new Date(0) } });

const org = randomUUID();
const sites = 40;
const client = knownClient(org, { max_sites: sites });

async function create(name: string): Promise<string> {
  const reply = await call('projects.CreateProject', { client_email: client.email, name }, testCaller(org, repeatable(`${org} ${name}`)));
  return present(reply.project).id;
}

test('a service killed between its writes loses no project, no event and no site of the plan, and repeats make nothing twice', async () => {
  const names = Array.from({ length: sites }, (_, index) => `Site ${index}`);
  // Without NATS every event still waits in its record when the process dies.
  await start(`nats://${nobody}`);
  const acknowledged = new Map<string, string>();
  const attempts = names.map(async (name) => {
    acknowledged.set(name, await create(name));
    if (acknowledged.size === sites / 2) await service.kill();
  });
  await Promise.allSettled(attempts);
  await closePeers();
  expect(acknowledged.size).toBeGreaterThanOrEqual(sites / 2);

  await start();
  const ids = new Map<string, string>();
  const answered = (name: string) =>
    create(name).then(
      (id) => ids.set(name, id).has(name),
      () => false,
    );
  await endLeases();
  for (const name of names) await until(() => answered(name));

  for (const [name, id] of acknowledged) expect(ids.get(name)).toBe(id);
  const created = (await publishedEvents(stream, org)).map(({ data }) => ('project' in data ? data.project.id : undefined));
  expect(created.toSorted()).toEqual([...ids.values()].toSorted());
  await expect(create('one too many')).rejects.toEqual(refusal('plan_limit_reached'));
});

test('a service killed while it publishes loses no site that it acknowledged, and what is repeated is one deploy and one event', async () => {
  const tenant = randomUUID();
  const projects = await Promise.all(Array.from({ length: 12 }, () => newProject(tenant, { name: `Crash ${tenant}` })));
  const publishOne = async (id: string) => {
    return (await publish(tenant, id, { 'index.html': `<p>${id}</p>`.repeat(500) }, repeatable(`${tenant} ${id}`))).deployId;
  };
  const acknowledged = new Map<string, string>();
  const attempts = projects.map(async ({ id }) => {
    acknowledged.set(id, await publishOne(id));
    if (acknowledged.size === projects.length / 2) await service.kill();
  });
  await Promise.allSettled(attempts);
  await closePeers();
  expect(acknowledged.size).toBeGreaterThanOrEqual(projects.length / 2);

  await start();
  const deploys = new Map<string, string>();
  const answered = (id: string) =>
    publishOne(id).then(
      (deploy) => deploys.set(id, deploy).has(id),
      () => false,
    );
  await endLeases();
  for (const { id } of projects) await until(() => answered(id));
  for (const [id, deploy] of acknowledged) expect(deploys.get(id)).toBe(deploy);
  for (const { id } of projects) {
    const list = await call('projects.ListDeploys', { project_id: id, offset: 0 }, testCaller(tenant));
    expect(list.deploys).toMatchObject([{ id: deploys.get(id), live: true }]);
    const { project } = await call('projects.GetProject', { project_id: id }, testCaller(tenant));
    expect(await visited(present(project?.subdomain))).toEqual({ 'index.html': `<p>${id}</p>`.repeat(500) });
  }
  const told = (await publishedEvents(stream, tenant)).flatMap(({ type, data }) =>
    type === 'project.published' && 'project' in data ? [data.project.id] : [],
  );
  expect(told.toSorted()).toEqual([...deploys.keys()].toSorted());
});

test('a service that is told to stop ends by itself, in order', async () => {
  expect(await service.stop()).toBe(0);
});
