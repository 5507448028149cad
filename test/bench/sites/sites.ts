import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { closePeers } from '@webkiln/rpc';
import { visit } from '../../harness/visitor.ts';
import type { Bench } from '../bench.ts';
import { cores, pin } from '../cores.ts';
import { interleave } from '../interleave.ts';
import { connectOperator } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable } from '../report.ts';
import type { Target } from '../rest/load.ts';
import { ratio, table } from '../rest/table.ts';
import { spawnServer } from '../spawn.ts';
import { publishSite } from './publish-site.ts';

const connections = Number(process.env.CONNECTIONS ?? 32);
const ports = { platform: 18_095, raw: 18_096 };
const page = path.resolve(import.meta.dirname, '../../../tools/dev-platform/demo-site/index.html');
const names = {
  raw: 'raw node:http, the same bytes',
  page: 'sites: a page',
  compressed: 'sites: a page, Brotli',
  known: 'sites: a page the caller has cached (304)',
  proxied: 'sites behind the gateway: a page',
};

/** Measures the cost of a published page, compared with a bare server that sends the same bytes. */
export async function benchSites({ rounds, seconds, scratch, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform and a bare server …');
  const platform = await startBenchPlatform(path.join(scratch, 'sites'), ports.platform);
  onStop(() => platform.stop());
  connectOperator(platform);
  onStop(closePeers);
  const host = await publishSite(platform, { 'index.html': readFileSync(page, 'utf8') });
  const sent = path.join(scratch, 'sent.html');
  writeFileSync(sent, (await visit(`http://127.0.0.1:${ports.platform}/`, `http://${host}/`)).text);
  const rawUrl = `http://127.0.0.1:${ports.raw}/`;
  const program = path.join(import.meta.dirname, 'raw-file.mjs');
  const raw = await spawnServer([program], { core: cores.front, url: rawUrl, env: { PORT: String(ports.raw), FILE: sent } });
  onStop(raw.stop);
  for (const [name, { pid }] of Object.entries(platform.processes))
    pin(pid, name === 'sites' || name === 'gateway' ? cores.front : cores.rest);

  const { http_port, pid } = platform.processes.sites ?? { http_port: 0, pid: 0 };
  const direct = { url: `http://127.0.0.1:${http_port}/`, pid };
  const { etag = '' } = (await visit(direct.url, `http://${host}/`)).headers;
  const asked = { Host: host }; // capitalised, so that wrk does not add its own
  const targets: Target[] = [
    { name: names.raw, url: rawUrl, pid: raw.pid },
    { name: names.page, ...direct, headers: [asked] },
    { name: names.compressed, ...direct, headers: [{ ...asked, 'accept-encoding': 'gzip, deflate, br, zstd' }] },
    { name: names.known, ...direct, headers: [{ ...asked, 'if-none-match': etag }] },
    { name: names.proxied, url: `http://127.0.0.1:${ports.platform}/`, pid: platform.processes.gateway?.pid ?? 0, headers: [asked] },
  ];
  const results = await interleave(targets, { wrk: wrkProgram, scratch, connections, core: cores.rest, seconds, rounds, log });
  const of = (name: string) => results.get(name) ?? [];
  log(`\n${table(results, names.raw)}\n`);
  log(
    figureTable([
      ['a page ÷ raw node:http', ratio(of(names.page), of(names.raw)), '≥ 0.5'],
      ['behind the gateway, both on one core ÷ raw node:http', ratio(of(names.proxied), of(names.raw)), ''],
    ]),
  );
}
