import { randomUUID } from 'node:crypto';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { callerFor, operatorPrincipal } from '@webkiln/messages';
import { call, closePeers } from '@webkiln/rpc';
import { MongoClient } from 'mongodb';
import { minimalBody, paramsToDelete } from '../../faults/runs/access/request-parts.ts';
import { operations } from '../../faults/runs/records/operations.ts';
import { pathOf, type SeedFixtures, seedFixtures, seedSettings } from '../../faults/runs/records/seed-fixtures.ts';
import { eventually } from '../../harness/agency.ts';
import { owner } from '../../harness/person.ts';
import { startPlatform, type TestPlatform } from '../../harness/test-platform.ts';
import { seedFigures } from '../analytics/seed-figures.ts';
import type { Bench } from '../bench.ts';
import { cores } from '../cores.ts';
import { cpuSeconds } from '../cpu.ts';
import { ampleQuotas } from '../platform.ts';
import { median } from '../report.ts';
import { type LoadOptions, measure, type Target } from '../rest/load.ts';
import { databasesOf, type Plan, plansOf, ratioOf } from './plans.ts';
import { growRecords } from './records.ts';
import { planTable, type Row, rowTable, type Stored, sizeTable } from './tables.ts';

const sizes = (process.env.SIZES ?? '10000,100000,1000000').split(',').map(Number);
const organizationCount = Number(process.env.ORGANIZATIONS ?? 1_000);
const days = Number(process.env.DAYS ?? 365);
const connections = Number(process.env.CONNECTIONS ?? 1);
/** Sites with a year of views: as many per record as 1,000 of 1,000,000. */
const sitesOf = (size: number) => Math.max(1, Math.round(size / 1_000));
const maxRatio = 2;
const mb = 1024 ** 2;
/** Smaller collections say nothing about growth. */
const minRecords = 1_000;
/** More than an organization ever has here. */
const unlimited = '10000000000';
const settings = { ...seedSettings, ...ampleQuotas, QUOTA_CLIENTS: unlimited, QUOTA_PROJECTS: unlimited, REQUEST_TIMEOUT_MS: '60000' };

/** Measures requests, lists, searches and reports, and the plan of every query, of a platform that grows. */
export async function benchGrowth({ rounds, seconds, scratch, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform …');
  const platform = await startPlatform({ env: settings });
  onStop(() => platform[Symbol.asyncDispose]());
  onStop(closePeers);
  const fixtures = await seedFixtures(platform.facts);
  const mongodb = await MongoClient.connect(platform.facts.urls.MONGODB_URL);
  onStop(() => mongodb.close());
  log(`making ${organizationCount} organizations …`);
  const organizations = [fixtures.agency.organization.id];
  while (organizations.length < organizationCount)
    organizations.push(await eventually(() => newOrganization(`Bench ${organizations.length}`)));

  const rows: Row[] = [];
  let plans: readonly Plan[] = [];
  for (const [at, size] of sizes.entries()) {
    log(`growing to ${size} projects, clients, orders and audit entries, and ${sitesOf(size) * days} days of sites …`);
    const startedAt = performance.now();
    await growRecords(mongodb, { organizations, from: sizes[at - 1] ?? 1, to: size });
    await growFigures(mongodb, fixtures, sizes[at - 1] ?? 0, size);
    log(`grown after ${Math.round((performance.now() - startedAt) / 1000)} s; measuring …`);
    plans = await plansOf(mongodb, () => everyOperation(platform, fixtures));
    const notable = plans.filter((plan) => ratioOf(plan) > maxRatio || isScan(plan));
    log(
      `${plans.length} shapes of queries, ${notable.filter(isScan).length} without an index; those and what examines more than ${maxRatio} per record:`,
    );
    log(planTable(notable));
    log(`\n${sizeTable(await storedIn(mongodb))}\n`);
    const readBefore = await readIntoCache(mongodb);
    const load: LoadOptions = { wrk: wrkProgram, scratch, connections, core: cores.both, seconds };
    // SECONDS=0: plans and sizes alone, which a busy machine does not change.
    for (const target of seconds === 0 ? [] : targetsOf(fixtures, size)) rows.push(await measured(target, size, platform, load, rounds));
    log(`MongoDB has read ${Math.round((await readIntoCache(mongodb)) - readBefore)} MB for these requests`);
  }
  log(`\n${rowTable(rows)}\n\n${planTable(plans)}`);
}

const isScan = ({ index }: Plan) => index.includes('COLLSCAN');

/** In MB: what the requests needed and the cache of MongoDB had not. */
async function readIntoCache(mongodb: MongoClient): Promise<number> {
  const { wiredTiger } = await mongodb.db('admin').command({ serverStatus: 1 });
  return Number(wiredTiger.cache['bytes read into cache']) / mb;
}

async function newOrganization(name: string): Promise<string> {
  const { organization } = await call('identity.CreateOrganization', { name }, callerFor(operatorPrincipal(), { timeoutMs: 60_000 }));
  return organization?.id ?? '';
}

/** Sites of the first organization with a year of views; its own project is among the first of them. */
function growFigures(mongodb: MongoClient, { agency, params }: SeedFixtures, before: number, size: number): Promise<void> {
  const project_id = before === 0 ? (params.projectId ?? '') : randomUUID();
  const sites = sitesOf(size) - (before === 0 ? 0 : sitesOf(before));
  return seedFigures({ mongodb, org_id: agency.organization.id, project_id, sites, days });
}

/** Values of query parameters, each of which is asked for once. */
const queryValues: Readonly<Record<string, string>> = { limit: '50', offset: '1', status: 'active', q: 'site', days: '365' };

/** Runs every operation of the contract, each list also by each of its parameters. What is refused reads less. */
async function everyOperation({ facts }: TestPlatform, fixtures: SeedFixtures): Promise<void> {
  const person = await owner({ platform: facts });
  for (const operation of operations) {
    const { method, path, query, refusesKeys } = operation;
    const params = method === 'DELETE' ? await paramsToDelete(operation, fixtures).catch(() => fixtures.params) : fixtures.params;
    const body = operation.body && JSON.stringify(minimalBody(operation, fixtures));
    const init = { method, body, headers: body === undefined ? {} : { 'content-type': 'application/json' } };
    const values = { ...queryValues, ...fixtures.references };
    const asked = query.flatMap((name) => (values[name] === undefined ? [] : [`?${name}=${values[name]}`]));
    for (const search of ['', ...(method === 'GET' ? asked : [])]) {
      const api = refusesKeys ? person.api : fixtures.agency.api;
      const answer = await api.raw(`${pathOf(path, params)}${search}`, init);
      await answer.body?.cancel();
    }
  }
}

function targetsOf({ agency, params }: SeedFixtures, size: number): Target[] {
  const authorization = `Bearer ${agency.api.key}`;
  const target = (name: string, route: string, more: Partial<Target> = {}): Target => ({
    name,
    url: `${agency.api.baseUrl}${route}`,
    headers: [{ authorization, 'content-type': 'application/json' }],
    pid: process.pid,
    ...more,
  });
  return [
    target('GET one project', `/projects/${params.projectId}`),
    target('list of 50 projects', '/projects?limit=50'),
    target('list of 50 active projects', '/projects?limit=50&status=active'),
    target('page by a large offset', `/projects?limit=50&offset=${Math.min(size / 4, 10_000)}`),
    target('search by name, none', '/projects?limit=50&q=none%20such'),
    target('search by name, one', `/projects?limit=50&q=site%20${size - 2}`),
    target('list of 50 clients', '/clients?limit=50'),
    target('list of 50 orders', '/orders?limit=50'),
    target('a year of one site', `/analytics?days=365&project_id=${params.projectId}`),
    target('a year of all sites', '/analytics?days=365'),
    target('POST client', '/clients', { method: 'POST', body: '{"email":"c-{{n}}@example.test","name":"Client"}' }),
  ];
}

async function measured(target: Target, size: number, { platform }: TestPlatform, load: LoadOptions, rounds: number): Promise<Row> {
  const pids = [...platform.processes.values()].flatMap(({ pid }) => pid ?? []);
  await measure(target, load);
  const found: Omit<Row, 'name' | 'size'>[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = cpuSeconds(pids);
    const { requestsPerSecond, p50Ms, p99Ms, failures } = await measure(target, load);
    if (failures > 0) throw new Error(`${target.name}: ${failures} requests failed`);
    found.push({ p50Ms, p99Ms, cpuMicros: ((cpuSeconds(pids) - before) * 1e6) / (requestsPerSecond * load.seconds) });
  }
  const of = (key: 'p50Ms' | 'p99Ms' | 'cpuMicros') => median(found.map((each) => each[key]));
  return { name: target.name, size, p50Ms: of('p50Ms'), p99Ms: of('p99Ms'), cpuMicros: of('cpuMicros') };
}

/** The largest collections. */
async function storedIn(mongodb: MongoClient): Promise<Stored[]> {
  const found = await Promise.all(
    databasesOf(mongodb).map(async (database) => {
      const names = (await database.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()).map(({ name }) => name);
      return Promise.all(
        names.map(async (name) => {
          const { count = 0, size = 0, storageSize = 0, totalIndexSize = 0 } = await database.command({ collStats: name });
          return { collection: name, records: count, dataMb: size / mb, storageMb: storageSize / mb, indexMb: totalIndexSize / mb };
        }),
      );
    }),
  );
  return found
    .flat()
    .filter(({ collection, records }) => records >= minRecords && !collection.startsWith('system.'))
    .sort((a, b) => b.dataMb - a.dataMb);
}
