import path from 'node:path';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { closePeers } from '@webkiln/rpc';
import type { Bench } from '../bench.ts';
import { cores, pin } from '../cores.ts';
import { residentMb } from '../cpu.ts';
import { connectOperator } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import { spawnServer } from '../spawn.ts';
import { figuresOf } from './figures.ts';
import { type LoadOptions, type Measurement, measure, type Target } from './load.ts';
import { startParseServer } from './parse-server.ts';
import { cpuPerPost, followUpDone } from './post-cost.ts';
import { seed } from './seed.ts';
import { table } from './table.ts';
import { names, targetsOf } from './targets.ts';
import { startUnaryGateway } from './unary-gateway.ts';

/** Long enough to use every key at least once. */
const wakeUpSeconds = 4;
const connections = Number(process.env.CONNECTIONS ?? 32);
const projects = Number(process.env.PROJECTS ?? 10_000);
/** Enough keys to stay below the limit of 100 requests per minute each. */
const keys = Number(process.env.KEYS ?? 3000);
const ports = { platform: 18_080, raw: 18_081, express: 18_082, parse: 18_083, unary: 18_084 };

/** Measures the cost of a request, in comparison with peers. */
export async function benchRest({ rounds, seconds, scratch, cache, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform and its peers …');
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
  log(`\n${table(results, names.express)}\n\n${figureTable(figuresOf(results, { half, postCpuMs, idleMb }))}`);
  log(`\n${projects} projects; idle memory, MB: ${idleMb.map(([name, mb]) => `${name} ${mb}`).join(', ')}`);
}

/** Measures with the fewest connections that reach half of the target's throughput. */
async function atHalfLoad(target: Target, wanted: number, load: LoadOptions): Promise<Measurement> {
  for (let each = 1; each < connections; each++) {
    const measured = await measure(target, { ...load, connections: each });
    if (measured.requestsPerSecond >= wanted) return measured;
  }
  throw new Error('half load was not reached');
}
