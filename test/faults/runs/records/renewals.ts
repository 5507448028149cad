import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { makePlan } from '../../../contract/fixtures.ts';
import { type Agency, agency } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { LatencySamples } from '../neighbours/latencies.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';

interface Options {
  readonly organizations: number;
  /** Due subscriptions of each. */
  readonly clients: number;
  /** Processes of clients-plans that are killed meanwhile. */
  readonly kills: number;
  /** Fails if it takes longer. */
  readonly maxMs?: number;
  /** Fails if the 99th percentile of callers is more than so many times what it was before. */
  readonly maxSlowdown?: number;
}

const pollMs = 100;
const patienceMs = 300_000;
/** Far from the place that the first client has taken. */
const farPlaces = 1_000_000;
const quietCalls = 400;
const callEveryMs = 20;

/** Every subscription that is due is renewed, each once, by several processes of which some are killed. */
export async function renewEachOnce(
  platform: TestPlatform,
  { organizations, clients, kills, maxMs, maxSlowdown }: Options,
): Promise<Outcome> {
  const findings = new Findings();
  await using mongo = await MongoClient.connect(platform.facts.urls.MONGODB_URL);
  const database = mongo.db(await clientsPlansOf(mongo));
  const agencies = await Promise.all(Array.from({ length: organizations }, () => agency(platform.facts, { rateLimit: 1_000_000 })));
  const ids = agencies.map(({ organization }) => organization.id);
  await Promise.all(agencies.map((each) => subscribe(each, clients, database)));
  // Nothing is overdue when the first period ends.
  await database.collection('orders').updateMany({ org_id: { $in: ids } }, { $set: { due_at: inAYear() } });

  const count = organizations * clients;
  const caller = await agency(platform.facts, { rateLimit: 1_000_000 });
  const before = new LatencySamples();
  const meanwhile = new LatencySamples();
  if (maxSlowdown !== undefined) await callFor(caller, before, () => before.count >= quietCalls);
  const begunAt = performance.now();
  let isOver = false;
  const calls = maxSlowdown === undefined ? undefined : callFor(caller, meanwhile, () => isOver);
  const dueAt = new Date();
  await database.collection('subscriptions').updateMany({ org_id: { $in: ids } }, { $set: { due_at: dueAt, period_end: dueAt } });
  for (let killed = 0; killed < kills; killed++) {
    await pause(500);
    await platform.replace(killed % 2 === 0 ? 'clients-plans' : 'clients-plans-2', 'SIGKILL');
  }
  const renewed = () => database.collection('orders').countDocuments({ org_id: { $in: ids } });
  while ((await renewed()) < 2 * count && performance.now() - begunAt < patienceMs) await pause(pollMs);
  const tookMs = Math.round(performance.now() - begunAt);
  isOver = true;
  await calls;
  await pause(pollMs);
  const slowdown = meanwhile.p99Ms / before.p99Ms;
  findings.check(maxSlowdown === undefined || slowdown <= maxSlowdown, `callers waited ${slowdown.toFixed(1)} times as long`);
  findings.check(maxMs === undefined || tookMs <= maxMs, `it took ${tookMs} ms`);
  for (const org_id of ids) {
    const orders = await database.collection('orders').find({ org_id }).sort({ number: 1 }).toArray();
    const expected = Array.from({ length: 2 * clients }, (_, at) => at + 1);
    findings.check(String(orders.map(({ number }) => number)) === String(expected), `${org_id}: its ${orders.length} invoices have gaps`);
    const perClient = Map.groupBy(orders, ({ client_id }) => String(client_id));
    for (const [client, own] of perClient) findings.check(own.length === 2, `client ${client} has ${own.length} orders`);
  }
  const figure = `${count} subscriptions of ${organizations} organizations, ${kills} kills: each renewed once, all after ${tookMs} ms${maxSlowdown === undefined ? '' : `; p99 of callers ${meanwhile.p99Ms.toFixed(0)} ms, ${before.p99Ms.toFixed(0)} ms before`}`;
  return { seed: chooseSeed(), tries: count, figure, failures: findings.failures };
}

/** As a program that reads and writes now and then. */
async function callFor({ api }: Agency, samples: LatencySamples, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await samples.time(async () => (await api.get('/clients?limit=10')).expect(200));
    await samples.time(async () => (await api.post('/clients', { email: `${randomUUID()}@example.com` })).expect(201));
    await pause(callEveryMs);
  }
}

const inAYear = () => new Date(Date.now() + 365 * 86_400_000);

async function clientsPlansOf(mongo: MongoClient): Promise<string> {
  const { databases } = await mongo.db().admin().listDatabases({ nameOnly: true });
  return databases.find(({ name }) => name.endsWith('_clients_plans'))?.name ?? '';
}

/** Subscribes one client as callers do, and writes further ones like it: their requests are no part of this run. */
async function subscribe({ api, organization }: Agency, clients: number, database: Db): Promise<void> {
  const { id: plan_id } = await makePlan(api, { price: 29 });
  const { client } = (await api.post('/clients', { email: 'first@example.com', plan_id })).expect(201).body;
  const own = { org_id: organization.id };
  const [first, subscription, order] = await Promise.all([
    database.collection<Row>('clients').findOne({ _id: client.id }),
    database.collection<Row>('subscriptions').findOne({ ...own, client_id: client.id }),
    database.collection<Row>('orders').findOne({ ...own, client_id: client.id }),
  ]);
  const rows = Array.from({ length: clients - 1 }, (_, at) => {
    const [client_id, subscription_id, email] = [randomUUID(), randomUUID(), `c${at}@example.com`];
    return {
      client: {
        ...first,
        outbox: [],
        _id: client_id,
        user_id: randomUUID(),
        email,
        email_folded: email,
        invitation_request: client_id,
        place: farPlaces + at,
      },
      subscription: { ...subscription, outbox: [], _id: subscription_id, client_id, live_client_id: client_id },
      order: { ...order, outbox: [], _id: randomUUID(), client_id, subscription_id, number: at + 2 },
    };
  });
  const insert = (name: string, added: readonly Row[]) => database.collection<Row>(name).insertMany([...added]);
  await insert(
    'clients',
    rows.map((row) => row.client),
  );
  await insert(
    'subscriptions',
    rows.map((row) => row.subscription),
  );
  await insert(
    'orders',
    rows.map((row) => row.order),
  );
  await database.collection<Row>('billing_accounts').updateOne({ _id: organization.id }, { $set: { invoices: clients } });
}

interface Row {
  readonly _id: string;
}
