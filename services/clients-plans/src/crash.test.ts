import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeStreams } from '@webkiln/events/testing';
import { callerFor } from '@webkiln/messages';
import { call, closePeers, connectPeers, peerState } from '@webkiln/rpc';
import { type ServiceProcess, startProcess } from '@webkiln/runtime/testing';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { bundledProgram } from '../../../tools/dev-platform/src/platform/bundle.ts';
import { present } from './testing/expectations.ts';
import { useIdentity } from './testing/identity-process.ts';
import { newOrganization, ownerOf, repeatable, signing } from './testing/running-service.ts';
import { connectOrganization, openCheckout, startStripe } from './testing/stripe.ts';
import { published } from './testing/test-stream.ts';

const prefix = `test_${randomBytes(6).toString('hex')}_`;
const stream = { stream: `${prefix}EVENTS`, subjectPrefix: prefix };
const identity = useIdentity();
const nobody = '127.0.0.1:9';

const limits = { max_sites: 3, max_ai_messages_daily: 50, can_export_code: false, can_use_custom_domain: false };
const plan = { name: 'Studio', price: 19.9, interval: 'monthly', ...limits };

let mailDirectory: string;
let service: ServiceProcess;
let stripe: Awaited<ReturnType<typeof startStripe>>;

beforeAll(async () => {
  mailDirectory = await mkdtemp(path.join(tmpdir(), 'mail-'));
  stripe = await startStripe();
  await mongoose.connect(process.env.MONGODB_URL ?? '', { dbName: `${prefix}_clients_plans` });
});
afterAll(async () => {
  await closePeers();
  await service.stop();
  await stripe.stop();
  await removeStreams(prefix);
  await mongoose.connection.dropDatabase();
  await mongoose.disconnect();
  await rm(mailDirectory, { recursive: true });
});

async function start(natsUrl: string): Promise<void> {
  service = await startProcess(await bundledProgram('services/clients-plans/src/main.ts'), {
    MONGODB_URL: process.env.MONGODB_URL ?? '',
    MONGODB_PREFIX: prefix,
    NATS_URL: natsUrl,
    EVENTS_PREFIX: prefix,
    PRINCIPAL_TRUSTED_KEYS: `gateway:${signing.publicKey}`,
    PRINCIPAL_SIGNING_KEY: signing.privateKey,
    IDENTITY_ADDRESS: identity.address(),
    ORIGIN: 'https://kiln.example',
    INVITATION_SECRET: 'a secret of at least thirty-two characters',
    MAIL_DIR: mailDirectory,
    STRIPE_SECRET_KEY: stripe.server.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.server.webhookSecret,
    STRIPE_API_URL: stripe.server.url,
  });
  const addresses = { 'clients-plans': `127.0.0.1:${service.ports.grpc}`, identity: identity.address() };
  connectPeers({ issuer: 'gateway', signingKey: signing.privateKey, transport: 'carried', addresses });
  await until(() => peerState('clients-plans') === 'ready' && peerState('identity') === 'ready');
}

/** Moves the deadlines into the past: a request that was running at the crash is refused until its deadline. */
const endLeases = () =>
  mongoose.connection.collection('repeatable_requests').updateMany({ outcome: { $exists: false } }, { $set: { lease_until: new Date(0) } });

let org_id: string;
let plan_id: string;
const requests = Array.from({ length: 40 }, (_, index) => ({ email: `c${index}@example.com`, key: newOrganization() }));

const callerOf = (key = newOrganization()) => {
  const principal = { kind: 'api_key', org_id, credential_id: 'key', permissions: ['read', 'write'] } as const;
  return { ...callerFor(principal, { timeoutMs: 120_000 }), ...repeatable(key) };
};

/** Makes a client with a priced plan, and records the payment of its first order. */
async function createPaying({ email, key }: { email: string; key: string }): Promise<string | undefined> {
  const { client } = await call('clients.CreateClient', { email, plan_id }, callerOf(key));
  const { orders } = await call('billing.ListOrders', { offset: 0, client_id: client?.id }, callerOf());
  await call('billing.UpdateOrder', { order_id: orders[0]?.id ?? '', status: 'paid', update_mask: ['status'] }, callerOf());
  return client?.id;
}

test('a service killed between its writes loses no client, payment, event or mail, and retried requests do nothing twice', async () => {
  // Without NATS every event is still in its outbox when the process is killed.
  await start(`nats://${nobody}`);
  org_id = await identity.organization('Kiln');
  plan_id = (await call('plans.CreatePlan', plan, callerOf())).plan?.id ?? '';
  const acknowledged = new Map<string, string | undefined>();
  let isKilled = false;
  // A slow machine may be too busy for a request: it is repeated until the service is killed.
  const attempts = requests.map(async (request) => {
    while (!isKilled && !acknowledged.has(request.email)) {
      const id = await createPaying(request).catch(() => pause(50));
      if (id !== undefined) acknowledged.set(request.email, id);
    }
    if (isKilled || acknowledged.size < 20) return;
    isKilled = true;
    await service.kill();
  });
  await Promise.all(attempts);
  await closePeers();
  expect(acknowledged.size).toBeGreaterThanOrEqual(20);

  await start(process.env.NATS_URL ?? '');
  const ids = new Map<string, string | undefined>();
  const answered = async (request: (typeof requests)[number]) =>
    createPaying(request).then(
      (id) => ids.set(request.email, id) && true,
      () => false,
    );
  await endLeases();
  for (const request of requests) await until(() => answered(request));

  for (const [email, id] of acknowledged) expect(ids.get(email)).toBe(id);
  const created = (await published(stream, 'client.created')).map(({ data }) => data.client.id);
  expect(created.toSorted()).toEqual([...ids.values()].toSorted());
  const orders = await mongoose.connection.collection('orders').find({ org_id }).sort({ number: 1 }).toArray();
  expect(orders.map(({ number, status }) => `${number} ${status}`)).toEqual(requests.map((_request, at) => `${at + 1} paid`));
  expect(orders.map(({ client_id }) => client_id).toSorted()).toEqual([...ids.values()].toSorted());
  const received = (await published(stream, 'payment.received')).map(({ data }) => data.order.id);
  expect(received.toSorted()).toEqual(orders.map(({ _id }) => String(_id)).toSorted());
  const mailed = async () => {
    const mails = (await readdir(mailDirectory)).filter((file) => file.endsWith('.eml'));
    return mails.map((file) => file.replace(/^.*Z-|\.eml$/g, ''));
  };
  await until(async () => (await mailed()).length === requests.length);
  expect((await mailed()).toSorted()).toEqual(requests.map(({ email }) => email).toSorted());
});

test('a service killed while it renews subscriptions and charges cards charges each order once', async () => {
  const org = await identity.organization('Cards');
  const owner = () => ({ ...ownerOf(org), deadlineAt: Date.now() + 120_000 });
  const account = await connectOrganization(stripe, org);
  const created = await call('plans.CreatePlan', plan, owner());
  const clients = Array.from({ length: 12 }, (_, at) => `card${at}@example.com`);
  for (const email of clients) {
    const { client } = await call('clients.CreateClient', { email, plan_id: present(created.plan).id }, owner());
    const { orders } = await call('billing.ListOrders', { offset: 0, client_id: present(client).id }, owner());
    await stripe.server.payCheckout(await openCheckout(org, present(orders[0]).id), 'visa');
  }
  await stripe.server.settleDeliveries();
  const stored = mongoose.connection.collection('orders');
  await until(async () => (await stored.countDocuments({ org_id: org, status: 'paid' })) === clients.length);
  const past = new Date(Date.now() - 60_000);
  await mongoose.connection.collection('subscriptions').updateMany({ org_id: org }, { $set: { period_end: past, due_at: past } });
  // Long enough for several charges to be under way at any moment.
  await stripe.server.delay(100);
  for (const killedAfter of [2, 7]) {
    await until(async () => (await stripe.server.charges(account)).length >= clients.length + killedAfter);
    await service.kill();
    await closePeers();
    await stored.updateMany({ org_id: org, is_charging: true }, { $set: { charge_at: past } });
    await mongoose.connection.collection('billing_accounts').updateMany({}, { $set: { leased_until: new Date(0) } });
    await start(process.env.NATS_URL ?? '');
  }
  await until(async () => (await stored.countDocuments({ org_id: org, status: 'paid' })) === 2 * clients.length);
  const charged = (await stripe.server.charges(account)).map(({ metadata }) => metadata.order_id);
  const orders = await stored.find({ org_id: org }).sort({ number: 1 }).toArray();
  expect(charged.toSorted()).toEqual(orders.map(({ _id }) => String(_id)).toSorted());
  expect(orders.map(({ number }) => number)).toEqual(orders.map((_order, at) => at + 1));
  const received = (await published(stream, 'payment.received')).filter(({ org_id: of }) => of === org);
  expect(received.map(({ data }) => data.order.id).toSorted()).toEqual(charged.toSorted());
});

test('a service that receives the stop signal shuts down gracefully', async () => {
  expect(await service.stop()).toBe(0);
});
