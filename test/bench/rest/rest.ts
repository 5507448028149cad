import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { supplyProgram, wrk } from '@webkiln/infra';
import { closePeers } from '@webkiln/rpc';
import type { Bench } from '../bench.ts';
import { cores, pin } from '../cores.ts';
import { cpuSeconds, residentMb } from '../cpu.ts';
import { connectOperator } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import { spawnServer } from '../spawn.ts';
import { figuresOf } from './figures.ts';
import { type LoadOptions, type Measurement, measure, type Target } from './load.ts';
import { startParseServer } from './parse-server.ts';
import { seed } from './seed.ts';
import { table } from './table.ts';
import { names, targetsOf } from './targets.ts';
import { startUnaryGateway } from './unary-gateway.ts';

/** In which every key is used at least once. */
const wakingSeconds = 4;
const connections = Number(process.env.CONNECTIONS ?? 32);
const projects = Number(process.env.PROJECTS ?? 10_000);
/** As many as it takes to stay below 100 requests a minute each; a program uses its key about as often. */
const keys = Number(process.env.KEYS ?? 3000);
const ports = { platform: 18_080, raw: 18_081, express: 18_082, parse: 18_083, unary: 18_084 };

/** What a request costs, beside peers. */
export async function benchRest({ rounds, seconds, scratch, cache, say, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => say(`${name}: ${text}`));
  say('starting the platform and its peers …');
  const platform = await startBenchPlatform(path.join(scratch, 'rest'), ports.platform);
  onStop(() => platform.stop());
  const idleMb = Object.entries(platform.processes).map(([name, { pid }]) => [name, residentMb(pid)] as const);
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
  const { mongoUrl } = platform;
  const parse = await startParseServer({ cache, scratch, mongoUrl, port: ports.parse, core: cores.front, records: projects });
  onStop(parse.stop);
  for (const [name, { pid }] of Object.entries(platform.processes)) pin(pid, name === 'gateway' ? cores.front : cores.rest);
  pin(unary.pid, cores.front);

  const unaryUrl = platform.baseUrl.replace(/:\d+/, `:${ports.unary}`);
  const targets = targetsOf(platform, seeded, { raw, express, unary: { ...unary, url: unaryUrl }, parse });
  const load = { wrk: wrkProgram, scratch, connections, core: cores.rest, seconds };
  const behind = ['identity', 'clients-plans'].map((name) => platform.processes[name]?.pid ?? 0);
  say('warming up …');
  for (const target of targets) await measure(target, { ...load, seconds: 2 });
  await settled(behind);
  const results = new Map<string, Measurement[]>(targets.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const target of targets) {
      // A key that rested for a minute is looked up again: in use that is one request in a hundred, here it would be one in three.
      await measure(target, { ...load, seconds: wakingSeconds });
      results.get(target.name)?.push(await measure(target, load));
    }
    await settled(behind);
  }
  const one = targets.find(({ name }) => name === names.one) as Target;
  const half = await atHalfLoad(one, median((results.get(names.one) ?? []).map(({ requestsPerSecond }) => requestsPerSecond)) / 2, load);
  say(`\n${table(results, names.express)}\n\n${figureTable(figuresOf(results, half, idleMb))}`);
  say(`\n${projects} projects; idle memory, MB: ${idleMb.map(([name, mb]) => `${name} ${mb}`).join(', ')}`);
}

/** As few connections as keep the target at half of what it can do. */
async function atHalfLoad(target: Target, wanted: number, load: LoadOptions): Promise<Measurement> {
  for (let each = 1; each < connections; each++) {
    const measured = await measure(target, { ...load, connections: each });
    if (measured.requestsPerSecond >= wanted) return measured;
  }
  throw new Error('half the load was not reached');
}

/** What comes of clients and keys that were made (mails, an audit log) is worked off afterwards: what is measured next starts when that is done. */
async function settled(pids: readonly number[]): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY, now = cpuSeconds(pids); now - before > 0.05; now = cpuSeconds(pids)) {
    before = now;
    await pause(1000);
  }
}
