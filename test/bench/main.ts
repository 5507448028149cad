/** `npm run bench`: what a request costs, beside peers, in one interleaved run on this machine. See docs/performance.md. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder, supplyProgram, wrk } from '@webkiln/infra';
import { closePeers } from '@webkiln/rpc';
import { cpuSeconds, residentMb } from './cpu.ts';
import { type Measurement, measure, type Target } from './load.ts';
import { startParseServer } from './parse-server.ts';
import { startBenchPlatform } from './platform.ts';
import { median, ratio, table } from './report.ts';
import { seed } from './seed.ts';
import { spawnServer } from './spawn.ts';
import { startUnaryGateway } from './unary-gateway.ts';

const rounds = Number(process.env.ROUNDS ?? 3);
const seconds = Number(process.env.SECONDS ?? 4);
const connections = Number(process.env.CONNECTIONS ?? 32);
const projects = Number(process.env.PROJECTS ?? 10_000);
/** As many as it takes to stay below 100 requests a minute each; a program uses its key about as often. */
const keys = Number(process.env.KEYS ?? 3000);
const ports = { platform: 18_080, raw: 18_081, express: 18_082, parse: 18_083, unary: 18_084 };
/** The process under test has a core to itself; load generator, stores and the services behind it share the other. */
const cores = { front: '0', rest: '1' };

const here = import.meta.dirname;
const scratch = mkdtempSync(path.join(tmpdir(), 'webkiln-bench-'));
const cache = path.join(cacheFolder(), 'bench');
mkdirSync(cache, { recursive: true });
const say = (text: string) => console.log(text);

let wrkProgram = '';
const stops: (() => unknown)[] = [];
try {
  wrkProgram = await supplyProgram(wrk, (name, text) => say(`${name}: ${text}`));
  say('starting the platform and its peers …');
  const platform = await startBenchPlatform(path.join(scratch, 'data'), ports.platform);
  stops.push(() => platform.stop());
  const idleMb = Object.entries(platform.processes).map(([name, { pid }]) => [name, residentMb(pid)] as const);
  const { headers, projectId } = await seed(platform, { keys, projects });
  stops.push(() => closePeers());
  const unary = await startUnaryGateway(platform, ports.unary);
  const raw = await spawnServer([path.join(here, 'servers/raw.mjs')], {
    core: cores.front,
    url: `http://127.0.0.1:${ports.raw}/`,
    env: { PORT: String(ports.raw) },
  });
  const express = await spawnServer([path.join(here, 'servers/express.mjs')], {
    core: cores.front,
    url: `http://127.0.0.1:${ports.express}/items/1`,
    env: { PORT: String(ports.express) },
  });
  const parse = await startParseServer({
    cache,
    scratch,
    mongoUrl: platform.mongoUrl,
    port: ports.parse,
    core: cores.front,
    records: projects,
  });
  stops.push(unary.stop, raw.stop, express.stop, parse.stop);
  for (const [name, { pid }] of Object.entries(platform.processes)) pin(pid, name === 'gateway' ? cores.front : cores.rest);
  pin(unary.pid, cores.front);

  const { baseUrl, processes } = platform;
  const gateway = processes.gateway?.pid ?? 0;
  const unaryUrl = baseUrl.replace(/:\d+/, `:${ports.unary}`);
  const json = headers.map((set) => ({ ...set, 'content-type': 'application/json' }));
  const peer = { pid: parse.pid, headers: [parse.credentials] };
  const names = {
    raw: 'raw node:http, a constant',
    express: 'bare Express 5, a constant',
    path: 'Webkiln: full path, no store read',
    one: 'Webkiln: GET one project',
    pathUnary: 'Webkiln: full path, no store read, plain unary',
    oneUnary: 'Webkiln: GET one project, plain unary',
    list: `Webkiln: GET 50 of ${projects} projects`,
    post: 'Webkiln: POST client',
    parseOne: 'Parse Server: GET one',
    parseList: `Parse Server: GET 50 of ${projects}`,
    parseListCount: `Parse Server: GET 50 of ${projects} with the count`,
    parsePost: 'Parse Server: POST',
  };
  const nothing = '/projects?status=none';
  const targets: Target[] = [
    { name: names.raw, url: `http://127.0.0.1:${ports.raw}/`, pid: raw.pid },
    { name: names.express, url: `http://127.0.0.1:${ports.express}/items/1`, pid: express.pid },
    { name: names.path, url: `${baseUrl}${nothing}`, headers, pid: gateway },
    { name: names.one, url: `${baseUrl}/projects/${projectId}`, headers, pid: gateway },
    { name: names.pathUnary, url: `${unaryUrl}${nothing}`, headers, pid: unary.pid },
    { name: names.oneUnary, url: `${unaryUrl}/projects/${projectId}`, headers, pid: unary.pid },
    { name: names.parseOne, url: parse.oneUrl, ...peer },
    { name: names.list, url: `${baseUrl}/projects?limit=50`, headers, pid: gateway },
    { name: names.parseList, url: parse.listUrl, ...peer },
    { name: names.parseListCount, url: `${parse.listUrl}&count=1`, ...peer },
    {
      name: names.post,
      url: `${baseUrl}/clients`,
      method: 'POST',
      body: '{"email":"c-{{n}}@example.test","name":"Client"}',
      headers: json,
      pid: gateway,
    },
    {
      name: names.parsePost,
      url: parse.createUrl,
      method: 'POST',
      body: '{"email":"c-{{n}}@example.test","name":"Client","status":"invited"}',
      pid: parse.pid,
      headers: [{ ...parse.credentials, 'content-type': 'application/json' }],
    },
  ];
  const load = { wrk: wrkProgram, scratch, connections, core: cores.rest };
  say('warming up …');
  for (const target of targets) await measure(target, { ...load, seconds: 2 });
  await settled(processes['clients-plans']?.pid ?? 0);
  const results = new Map<string, Measurement[]>(targets.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const target of targets) results.get(target.name)?.push(await measure(target, { ...load, seconds }));
    await settled(processes['clients-plans']?.pid ?? 0);
  }
  const of = (name: string) => results.get(name) ?? [];
  const one = targets.find(({ name }) => name === names.one) as Target;
  const half = await atHalfLoad(one, median(of(names.one).map(({ requestsPerSecond }) => requestsPerSecond)) / 2);

  say(`\n${table(results, names.express)}\n`);
  const rows: [string, number, string][] = [
    ['full path without a store read ÷ bare Express', ratio(of(names.path), of(names.express)), '≥ 0.6'],
    ['GET one project ÷ bare Express', ratio(of(names.one), of(names.express)), '≥ 0.35'],
    ["GET one project ÷ Parse Server's", ratio(of(names.one), of(names.parseOne)), '≥ 2 (stretch 4)'],
    ["GET 50 projects ÷ Parse Server's", ratio(of(names.list), of(names.parseList)), '≥ 1.5'],
    ["GET 50 projects ÷ Parse Server's with the count", ratio(of(names.list), of(names.parseListCount)), ''],
    ["POST client ÷ Parse Server's POST", ratio(of(names.post), of(names.parsePost)), '≥ 1.3'],
    ['carried ÷ plain unary, no store read', ratio(of(names.path), of(names.pathUnary)), ''],
    ['carried ÷ plain unary, GET one project', ratio(of(names.one), of(names.oneUnary)), ''],
    ['own gateway CPU of GET one project, µs', median(of(names.one).map(({ ownCpuMicros }) => ownCpuMicros)), '≤ 160'],
    [`p99 of GET one project at half load (${Math.round(half.requestsPerSecond)}/s), ms`, half.p99Ms, '≤ 20'],
    [
      'largest idle service, MB',
      Math.max(...idleMb.filter(([name]) => !['mongodb', 'redis', 'nats'].includes(name)).map(([, mb]) => mb)),
      '≤ 120',
    ],
    ['whole platform idle, MB', idleMb.reduce((sum, [, mb]) => sum + mb, 0), '≤ 1300'],
  ];
  say(
    [
      '| figure | measured | wanted |',
      '|---|---|---|',
      ...rows.map(([name, value, wanted]) => `| ${name} | ${value.toFixed(2)} | ${wanted} |`),
    ].join('\n'),
  );
  say(`\nidle memory, MB: ${idleMb.map(([name, mb]) => `${name} ${mb}`).join(', ')}`);
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(scratch, { recursive: true, force: true });
}

/** As few connections as keep the target at half of what it can do. */
async function atHalfLoad(target: Target, wanted: number): Promise<Measurement> {
  for (let each = 1; each < connections; each++) {
    const measured = await measure(target, { wrk: wrkProgram, scratch, core: cores.rest, connections: each, seconds });
    if (measured.requestsPerSecond >= wanted) return measured;
  }
  throw new Error('half the load was not reached');
}

/** The invitations of the clients that a round made are mailed when it is over: the next round starts when that is done. */
async function settled(pid: number): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY, now = cpuSeconds([pid]); now - before > 0.05; now = cpuSeconds([pid])) {
    before = now;
    await pause(1000);
  }
}

/** Every thread of a process to one core. */
function pin(pid: number, core: string): void {
  execFileSync('taskset', ['-apc', core, String(pid)], { stdio: 'ignore' });
}
