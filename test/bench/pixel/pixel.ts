import path from 'node:path';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { closePeers } from '@webkiln/rpc';
import type { Bench } from '../bench.ts';
import { cores, pin } from '../cores.ts';
import { interleave } from '../interleave.ts';
import { connectOperator } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import type { Measurement, Target } from '../rest/load.ts';
import { ratio, table } from '../rest/table.ts';
import { publishSites } from '../sites/publish-site.ts';
import { spawnServer } from '../spawn.ts';
import { visitors } from './visitors.ts';

const connections = Number(process.env.CONNECTIONS ?? 64);
const sites = Number(process.env.SITES ?? 100);
const visitorCount = 5000;
const ports = { platform: 18_105, raw: 18_106 };
const names = {
  raw: 'raw node:http, the same GIF',
  one: 'pixel: one site',
  many: `pixel: ${sites} sites, by Zipf's law`,
  proxied: `pixel behind the gateway: ${sites} sites`,
};
/** Limits high enough for all views that one machine can send. */
const settings = { VIEWS_PER_ADDRESS: '1000000000', VIEWS_STREAM_MB: '8192' };

/**
 * Measures the cost of an accepted view (answered once it is on disk), compared with a bare server that sends the same
 * GIF.
 */
export async function benchPixel({ rounds, seconds, scratch, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform and a bare server …');
  const platform = await startBenchPlatform(path.join(scratch, 'pixel'), ports.platform, settings);
  onStop(() => platform.stop());
  connectOperator(platform);
  onStop(closePeers);
  const hosts = await publishSites(platform, sites, { 'index.html': '<h1>Bench</h1>' });
  const rawUrl = `http://127.0.0.1:${ports.raw}/`;
  const program = path.join(import.meta.dirname, 'raw-gif.mjs');
  const raw = await spawnServer([program], { core: cores.front, url: rawUrl, env: { PORT: String(ports.raw) } });
  onStop(raw.stop);
  for (const [name, { pid }] of Object.entries(platform.processes))
    pin(pid, name === 'analytics' || name === 'gateway' ? cores.front : cores.rest);

  const { http_port, pid } = platform.processes.analytics ?? { http_port: 0, pid: 0 };
  const view = '/t.gif?p=%2Fmenu';
  const direct = { url: `http://127.0.0.1:${http_port}${view}`, pid };
  const gateway = { url: `http://127.0.0.1:${ports.platform}${view}`, pid: platform.processes.gateway?.pid ?? 0 };
  const allVisitors = visitors(hosts, visitorCount);
  const targets: Target[] = [
    { name: names.raw, url: `${rawUrl}t.gif`, pid: raw.pid, headers: allVisitors },
    { name: names.one, ...direct, headers: visitors(hosts.slice(0, 1), visitorCount) },
    { name: names.many, ...direct, headers: allVisitors },
    { name: names.proxied, ...gateway, headers: allVisitors },
  ];
  const results = await interleave(targets, { wrk: wrkProgram, scratch, connections, core: cores.rest, seconds, rounds, log });
  const of = (name: string) => results.get(name) ?? [];
  const medianOf = (name: string, pick: (measurement: Measurement) => number) => median(of(name).map(pick));
  log(`\n${table(results, names.raw)}\n`);
  log(
    figureTable([
      ['a view of one site ÷ raw node:http', ratio(of(names.one), of(names.raw)), '≥ 0.6'],
      [`a view of ${sites} sites ÷ raw node:http`, ratio(of(names.many), of(names.raw)), '≥ 0.6'],
      [`own CPU of a view of ${sites} sites, µs`, medianOf(names.many, ({ ownCpuMicros }) => ownCpuMicros), '≤ 80'],
      [`p99 of a view of ${sites} sites at ${connections} connections, ms`, medianOf(names.many, ({ p99Ms }) => p99Ms), '≤ 20'],
      ['behind the gateway, both on one core ÷ raw node:http', ratio(of(names.proxied), of(names.raw)), ''],
    ]),
  );
}
