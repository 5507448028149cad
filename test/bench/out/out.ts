import { setTimeout as pause } from 'node:timers/promises';
import { closePeers } from '@webkiln/rpc';
import { request } from 'undici';
import { seedFixtures, seedSettings } from '../../faults/runs/records/seed-fixtures.ts';
import { startPlatform, type TestPlatform } from '../../harness/test-platform.ts';
import type { Bench } from '../bench.ts';
import { cpuSeconds } from '../cpu.ts';
import { visitors } from '../pixel/visitors.ts';
import { ampleQuotas } from '../platform.ts';
import { median } from '../report.ts';

const replicaCounts = [1, 2, 3];
const listed = 60;
/** What these use of one core is spent for every request, however many gateways and services there are. */
const serial = ['redis', 'mongodb', 'nats'];
const settings = { ...seedSettings, ...ampleQuotas, VIEWS_PER_ADDRESS: '1000000000' };

/** µs of CPU of one request, by the name of the process; replicas are added up. */
type Cost = Readonly<Record<string, number>>;

interface Load {
  readonly name: string;
  /** Requests a second for each gateway. */
  readonly rate: number;
  send(index: number): Promise<number>;
}

/**
 * Measures what a request costs each process with 1, 2 and 3 gateways and replicas of the services that answer. What
 * the stores spend does not become less by replicas: it says where a part ends.
 */
export async function benchOut({ rounds, seconds, log, onStop }: Bench): Promise<void> {
  onStop(closePeers);
  const costs = new Map<string, Map<number, Cost>>();
  for (const replicaCount of replicaCounts) {
    log(`starting a platform with ${replicaCount} of each …`);
    const replicas = { 'projects-templates': replicaCount, 'clients-plans': replicaCount, analytics: replicaCount };
    await using platform = await startPlatform({ gateways: replicaCount, replicas, env: settings });
    for (const load of await loadsOf(platform)) {
      const found: Cost[] = [];
      const [count, perSecond] = [load.rate * replicaCount * seconds, load.rate * replicaCount];
      const cost = () => costOf(platform, load, { count, perSecond });
      await cost(); // so that all code is compiled
      for (let round = 0; round < rounds; round++) found.push(await cost());
      const medians = Object.keys(found[0] ?? {}).map((name) => [name, median(found.map((cost) => cost[name] ?? 0))]);
      const all: Cost = Object.fromEntries(medians);
      log(
        `${load.name}: ${Object.entries(all)
          .map(([name, micros]) => `${name} ${micros.toFixed(0)}`)
          .join(', ')}`,
      );
      costs.set(load.name, (costs.get(load.name) ?? new Map()).set(replicaCount, all));
    }
  }
  log(`\n${costTable(costs)}\n\n${endTable(costs)}`);
}

/**
 * Requests to all gateways in turn, as many a second for each. The more requests a process has at once, the less each
 * of them costs: as many in all would seem to cost more with more processes.
 */
async function loadsOf({ facts }: TestPlatform): Promise<Load[]> {
  const { agency, params } = await seedFixtures(facts);
  const { origins } = facts;
  const authorization = `Bearer ${agency.api.key}`;
  for (let n = 0; n < listed; n++) (await agency.api.post('/templates', { name: `Template ${n}` })).expect(201);
  const { url } = (await agency.api.post(`/projects/${params.projectId}/publish`)).expect(200).body;
  const viewers = visitors([new URL(url).host], 500);
  const send = async (index: number, route: string, options: Parameters<typeof request>[1] = {}) => {
    const { statusCode, body } = await request(`${origins[index % origins.length]}${route}`, options);
    await body.dump();
    return statusCode;
  };
  const headers = { authorization, 'content-type': 'application/json' };
  const client = () => JSON.stringify({ email: `${crypto.randomUUID()}@example.test` });
  return [
    { name: 'GET one project', rate: 400, send: (at) => send(at, `/api/v1/projects/${params.projectId}`, { headers }) },
    { name: 'list of 50', rate: 100, send: (at) => send(at, '/api/v1/templates?limit=50', { headers }) },
    {
      name: 'view, counted',
      rate: 400,
      send: (at) => send(at, '/t.gif?p=%2F', { headers: viewers[at % viewers.length] ?? {} }),
    },
    // The last: what follows may still go on when its row ends.
    {
      name: 'POST client, with all that follows',
      rate: 40,
      send: (at) => send(at, '/api/v1/clients', { method: 'POST', headers, body: client() }),
    },
  ];
}

/** Runs the requests and waits for what they cause; what the processes spend when nobody asks is left out. */
async function costOf({ platform }: TestPlatform, { name, send }: Load, { count, perSecond }: Pace): Promise<Cost> {
  const groups = Map.groupBy(platform.processes.values(), (process) => process.name.replace(/-\d+$/, ''));
  const pids = new Map([...groups].map(([group, members]) => [group, members.flatMap(({ pid }) => pid ?? [])]));
  const spent = () => new Map([...pids].map(([group, ids]) => [group, cpuSeconds(ids)]));
  const idle = await since(spent, () => pause(idleMs));
  const busy = await since(spent, async () => {
    const statuses = await paced(send, { count, perSecond });
    const failed = statuses.filter((status) => status >= 400);
    if (failed.length > 0) throw new Error(`${name}: ${failed.length} requests failed with ${failed[0]}`);
    await quiet(
      () => cpuSeconds([...pids.values()].flat()),
      [...idle.rates.values()].reduce((sum, rate) => sum + rate, 0),
    );
  });
  return Object.fromEntries(
    [...busy.rates].map(([group, rate]) => [group, Math.max(0, ((rate - (idle.rates.get(group) ?? 0)) * busy.seconds * 1e6) / count)]),
  );
}

interface Pace {
  readonly count: number;
  readonly perSecond: number;
}

/** Begins each request when it is due, whether or not those before it are answered. */
async function paced<T>(send: (index: number) => Promise<T>, { count, perSecond }: Pace): Promise<T[]> {
  const startedAt = performance.now();
  const sent: Promise<T>[] = [];
  while (sent.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - startedAt) / 1000) * perSecond));
    while (sent.length < due) sent.push(send(sent.length));
    await pause(tickMs);
  }
  return Promise.all(sent);
}

const tickMs = 5;

const idleMs = 4_000;

/** The cores that each group keeps busy during `work`. */
async function since(spent: () => ReadonlyMap<string, number>, work: () => Promise<unknown>) {
  const [before, startedAt] = [spent(), performance.now()];
  await work();
  const [after, seconds] = [spent(), (performance.now() - startedAt) / 1000];
  return { seconds, rates: new Map([...after].map(([group, cpu]) => [group, (cpu - (before.get(group) ?? 0)) / seconds])) };
}

const maxQuietSeconds = 40;

/** Resolves when the processes spend about as little as when nobody asks. */
async function quiet(spent: () => number, idleRate: number): Promise<void> {
  let before = spent();
  for (let seconds = 0; seconds < maxQuietSeconds; seconds++) {
    await pause(1_000);
    const now = spent();
    if (now - before <= 1.2 * idleRate + 0.05) return;
    before = now;
  }
}

const rowOf = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;

/** The same processes in each row; those that a request never reaches cost nearly nothing. */
function costTable(costs: ReadonlyMap<string, ReadonlyMap<number, Cost>>): string {
  const names = [...new Set([...costs.values()].flatMap((of) => [...of.values()].flatMap((cost) => Object.keys(cost))))];
  const rows = [...costs].flatMap(([name, of]) =>
    [...of].map(([count, cost]) => {
      const all = Object.values(cost).reduce((sum, micros) => sum + micros, 0);
      return rowOf([name, count, ...names.map((each) => (cost[each] ?? 0).toFixed(0)), all.toFixed(0)]);
    }),
  );
  const header = ['CPU µs of one request', 'of each', ...names, 'all'];
  return [rowOf(header), rowOf(header.map(() => '---')), ...rows].join('\n');
}

/** At how many requests a second one core of each store is full, by the largest of its costs. */
function endTable(costs: ReadonlyMap<string, ReadonlyMap<number, Cost>>): string {
  const rows = [...costs].map(([name, of]) =>
    rowOf([
      name,
      ...serial.map((store) => {
        const micros = Math.max(...[...of.values()].map((cost) => cost[store] ?? 0));
        return micros < 1 ? '–' : Math.round(1e6 / micros);
      }),
    ]),
  );
  const header = ['requests a second that fill one core', ...serial];
  return [rowOf(header), rowOf(header.map(() => '---')), ...rows].join('\n');
}
