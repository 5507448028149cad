import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildDashboard, buildDocsSite, supplyProgram, wrk } from '@webkiln/dev-platform';
import { addressSetting, httpAddressSetting, httpServiceNames, rpcServiceNames } from '@webkiln/messages';
import { closePeers } from '@webkiln/rpc';
import type { Bench } from '../bench.ts';
import { runConcurrently } from '../concurrently.ts';
import { cores, pin } from '../cores.ts';
import { cpuSeconds, proportionalMb, residentMb } from '../cpu.ts';
import { connectOperator } from '../organization.ts';
import { ampleQuotas, type BenchPlatform, startBenchPlatform } from '../platform.ts';
import { type Figure, figureTable, median } from '../report.ts';
import { type Running, spawnServer } from '../spawn.ts';
import { type LoadOptions, type Measurement, measure, type Target } from './load.ts';
import { startParseServer } from './parse-server.ts';
import { type Seeded, seed } from './seed.ts';
import { startSketch } from './sketch.ts';
import { ratio, table } from './table.ts';
import { names, targetsOf } from './targets.ts';

/** The services that the benchmark's requests reach. */
const reachedServices: ReadonlySet<string> = new Set(['identity', 'clients-plans', 'projects-templates', 'webhooks']);
/** An address where nothing listens. */
const unusedAddress = '127.0.0.1:1';

/**
 * Starts a second gateway on the same platform that makes plain unary calls, to compare the multiplexed stream with.
 */
async function startUnaryGateway({ processes, secrets, baseUrl }: BenchPlatform, port: number): Promise<Running> {
  const address = (name: string) => `127.0.0.1:${processes[name]?.port}`;
  return spawnServer([path.resolve(import.meta.dirname, '../../../gateway/src/main.ts')], {
    core: '0',
    url: `http://127.0.0.1:${port}/api/v1/docs`,
    env: {
      ...ampleQuotas,
      PORT: String(port),
      ORIGIN: new URL(baseUrl).origin,
      DASHBOARD_DIR: await buildDashboard(),
      DOCS_DIR: await buildDocsSite(),
      RPC_TRANSPORT: 'unary',
      REDIS_URL: `redis://${address('redis')}`,
      NATS_URL: `nats://${address('nats')}`,
      ...Object.fromEntries(
        rpcServiceNames.map((name) => [addressSetting(name), reachedServices.has(name) ? address(name) : unusedAddress]),
      ),
      ...Object.fromEntries(httpServiceNames.map((name) => [httpAddressSetting(name), unusedAddress])),
      SITES_ORIGIN: `http://sites.localhost:${port}`,
      PREVIEW_ORIGIN: `http://preview.localhost:${port}`,
      PRINCIPAL_SIGNING_KEY: secrets.signing_keys.gateway ?? '',
    },
  });
}

const posts = 1000;
const followUpServices = ['identity', 'clients-plans'];

/**
 * The CPU time, in ms, that all processes of the platform spend on a POST of a client: the request, and what it causes
 * later (event, audit entry, mail).
 */
async function cpuPerPost({ baseUrl, processes }: BenchPlatform, { headers }: Pick<Seeded, 'headers'>): Promise<number> {
  const pids = Object.values(processes).map(({ pid }) => pid);
  const before = cpuSeconds(pids);
  await runConcurrently(posts, async (index) => {
    const body = JSON.stringify({ email: `cost-${index}@example.test`, name: 'Client' });
    const init = { method: 'POST', headers: { ...headers[index % headers.length], 'content-type': 'application/json' }, body };
    const response = await fetch(`${baseUrl}/clients`, init);
    if (response.status !== 201) throw new Error(`POST /clients: ${response.status} ${await response.text()}`);
  });
  await followUpDone(processes);
  return ((cpuSeconds(pids) - before) * 1000) / posts;
}

/** Waits until mails and audit entries of new clients and keys are done, since they would distort what comes next. */
async function followUpDone(processes: BenchPlatform['processes']): Promise<void> {
  const pids = followUpServices.map((name) => processes[name]?.pid ?? 0);
  for (let before = Number.NEGATIVE_INFINITY, now = cpuSeconds(pids); now - before > 0.05; now = cpuSeconds(pids)) {
    before = now;
    await pause(1000);
  }
}

const stores = ['mongodb', 'redis', 'nats'];

interface IdleProcess {
  readonly name: string;
  readonly residentMb: number;
  readonly proportionalMb: number;
}

type IdleMemory = Exclude<keyof IdleProcess, 'name'>;

interface Others {
  readonly half: Measurement;
  readonly postCpuMs: number;
  readonly idle: readonly IdleProcess[];
}

/** The figures of a run, each with its target value. */
function figuresOf(results: ReadonlyMap<string, readonly Measurement[]>, { half, postCpuMs, idle }: Others): Figure[] {
  const of = (name: string) => results.get(name) ?? [];
  const largest = (mb: IdleMemory) => Math.max(...idle.filter(({ name }) => !stores.includes(name)).map((each) => each[mb]));
  const sum = (mb: IdleMemory) => idle.reduce((total, each) => total + each[mb], 0);
  return [
    ['full path without a store read ÷ bare Express', ratio(of(names.path), of(names.express)), '≥ 0.6'],
    ['GET one project ÷ bare Express', ratio(of(names.one), of(names.express)), '≥ 0.35'],
    ["GET one project ÷ Parse Server's", ratio(of(names.one), of(names.parseOne)), '≥ 2 (stretch 4)'],
    ["GET 50 projects ÷ Parse Server's", ratio(of(names.list), of(names.parseList)), '≥ 1.5'],
    ["GET 50 projects ÷ Parse Server's with the count", ratio(of(names.list), of(names.parseListCount)), ''],
    ['GET one project ÷ the bare sketch', ratio(of(names.one), of(names.sketchOne)), ''],
    ['GET 50 projects ÷ the bare sketch', ratio(of(names.list), of(names.sketchList)), ''],
    ['POST client ÷ the bare sketch', ratio(of(names.post), of(names.sketchPost)), ''],
    ["POST client ÷ Parse Server's POST", ratio(of(names.post), of(names.parsePost)), '≥ 1.3'],
    ['CPU of all processes for a POST and what it causes, ms', postCpuMs, ''],
    ['multiplexed ÷ plain unary, no store read', ratio(of(names.path), of(names.pathUnary)), ''],
    ['multiplexed ÷ plain unary, GET one project', ratio(of(names.one), of(names.oneUnary)), ''],
    ['own gateway CPU of GET one project, µs', median(of(names.one).map(({ ownCpuMicros }) => ownCpuMicros)), '≤ 160'],
    [`p99 of GET one project at half load (${Math.round(half.requestsPerSecond)}/s), ms`, half.p99Ms, '≤ 20'],
    ['largest idle service, MB', largest('residentMb'), '≤ 120'],
    ['largest idle service, what processes share counted once, MB', largest('proportionalMb'), '≤ 90'],
    ['whole platform idle, MB', sum('residentMb'), '≤ 1300'],
    ['whole platform idle, what processes share counted once, MB', sum('proportionalMb'), '≤ 900'],
  ];
}

/** Long enough to use every key at least once. */
const wakeUpSeconds = 4;
const connections = Number(process.env.CONNECTIONS ?? 32);
const projects = Number(process.env.PROJECTS ?? 10_000);
/** Enough keys to stay below the limit of 100 requests per minute each. */
const keys = Number(process.env.KEYS ?? 3000);
const ports = { platform: 18_080, raw: 18_081, express: 18_082, parse: 18_083, unary: 18_084, sketch: 18_085 };

/** Measures the cost of a request, in comparison with peers. */
export async function benchRest({ rounds, seconds, scratch, cache, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform and its peers …');
  const platform = await startBenchPlatform(path.join(scratch, 'rest'), ports.platform);
  onStop(() => platform.stop());
  const idle = Object.entries(platform.processes).map(([name, { pid }]) => ({
    name,
    residentMb: residentMb(pid),
    proportionalMb: proportionalMb(pid),
  }));
  connectOperator(platform);
  onStop(closePeers);
  const seeded = await seed(platform, { keys, projects });
  const unary = await startUnaryGateway(platform, ports.unary);
  onStop(unary.stop);
  const constant = async (script: string, url: string, port: number) => {
    const program = path.join(import.meta.dirname, 'servers', script);
    const server = await spawnServer([program], { core: cores.front, url, env: { PORT: String(port) } });
    onStop(server.stop);
    return { ...server, url };
  };
  const raw = await constant('raw.mjs', `http://127.0.0.1:${ports.raw}/`, ports.raw);
  const express = await constant('express.mjs', `http://127.0.0.1:${ports.express}/items/1`, ports.express);
  const sketch = await startSketch(platform, ports.sketch, projects);
  onStop(sketch.stop);
  const { mongoUrl } = platform;
  const parse = await startParseServer({ cache, scratch, mongoUrl, port: ports.parse, core: cores.front, records: projects });
  onStop(parse.stop);
  for (const [name, { pid }] of Object.entries(platform.processes)) pin(pid, name === 'gateway' ? cores.front : cores.rest);
  pin(unary.pid, cores.front);

  const unaryUrl = platform.baseUrl.replace(/:\d+/, `:${ports.unary}`);
  const targets = targetsOf(platform, seeded, { raw, express, unary: { ...unary, url: unaryUrl }, sketch, parse });
  const load = { wrk: wrkProgram, scratch, connections, core: cores.rest, seconds };
  log('warming up …');
  for (const target of targets) await measure(target, { ...load, seconds: 2 });
  await followUpDone(platform.processes);
  const results = new Map<string, Measurement[]>(targets.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds} …`);
    for (const target of targets) {
      // A key is looked up again after a minute. That is one request in a hundred in normal use; here it would be one
      // in three.
      await measure(target, { ...load, seconds: wakeUpSeconds });
      results.get(target.name)?.push(await measure(target, load));
    }
    await followUpDone(platform.processes);
  }
  const one = targets.find(({ name }) => name === names.one) as Target;
  const half = await atHalfLoad(one, median((results.get(names.one) ?? []).map(({ requestsPerSecond }) => requestsPerSecond)) / 2, load);
  const postCpuMs = await cpuPerPost(platform, seeded);
  log(`\n${table(results, names.express)}\n\n${figureTable(figuresOf(results, { half, postCpuMs, idle }))}`);
  log(
    `\n${projects} projects; idle memory, MB, resident and proportional: ${idle.map((each) => `${each.name} ${each.residentMb} ${each.proportionalMb}`).join(', ')}`,
  );
}

/** Measures with the fewest connections that reach half of the target's throughput. */
async function atHalfLoad(target: Target, wanted: number, load: LoadOptions): Promise<Measurement> {
  for (let each = 1; each < connections; each++) {
    const measured = await measure(target, { ...load, connections: each });
    if (measured.requestsPerSecond >= wanted) return measured;
  }
  throw new Error('half load was not reached');
}
