/**
 * `npm run bench [-- rest|writes|mcp|lists|growth|out|webhooks|sites|pixel|report|workers|lighthouse|…]`: measures
 * costs in comparison with peers, in one interleaved run. See docs/performance.md.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cacheFolder } from '@webkiln/dev-platform';
import { benchReport } from './analytics/reports.ts';
import { benchWorkers } from './analytics/workers.ts';
import type { Bench } from './bench.ts';
import { benchBuilder } from './builder/builder.ts';
import { benchGrowth } from './growth/growth.ts';
import { benchComposed } from './lighthouse/composed.ts';
import { benchLighthouse } from './lighthouse/lighthouse.ts';
import { benchLists } from './lists/lists.ts';
import { benchMcp } from './mcp/mcp.ts';
import { benchOut } from './out/out.ts';
import { benchPixel } from './pixel/pixel.ts';
import { benchRest } from './rest/rest.ts';
import { benchSites } from './sites/sites.ts';
import { benchWebhooks } from './webhooks/webhooks.ts';
import { benchWrites } from './writes/writes.ts';

const benches = {
  rest: benchRest,
  writes: benchWrites,
  mcp: benchMcp,
  lists: benchLists,
  growth: benchGrowth,
  out: benchOut,
  webhooks: benchWebhooks,
  sites: benchSites,
  pixel: benchPixel,
  report: benchReport,
  workers: benchWorkers,
  lighthouse: benchLighthouse,
  composed: benchComposed,
  builder: benchBuilder,
};
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));

if (unknown.length === 0) {
  for (const [name, bench] of Object.entries(benches)) if (wanted.length === 0 || wanted.includes(name)) await run(bench);
} else {
  console.error(`unknown benchmark: ${unknown.join(', ')}; use npm run bench [-- ${Object.keys(benches).join('|')}]`);
  process.exitCode = 2;
}

async function run(bench: (options: Bench) => Promise<void>): Promise<void> {
  const stops: (() => unknown)[] = [];
  const scratch = mkdtempSync(path.join(tmpdir(), 'webkiln-bench-'));
  const cache = path.join(cacheFolder(), 'bench');
  mkdirSync(cache, { recursive: true });
  const { ROUNDS = 3, SECONDS = 4 } = process.env;
  const options = { rounds: Number(ROUNDS), seconds: Number(SECONDS), scratch, cache, log: (text: string) => console.log(text) };
  try {
    await bench({ ...options, onStop: (stop) => stops.push(stop) });
  } finally {
    for (const stop of stops.reverse()) await stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}
