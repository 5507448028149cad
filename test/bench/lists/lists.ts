import path from 'node:path';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { closePeers } from '@webkiln/rpc';
import { cursorAt } from '@webkiln/store/testing';
import type { Bench } from '../bench.ts';
import { cores } from '../cores.ts';
import { connectOperator } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import { type Measurement, measure, type Target } from '../rest/load.ts';
import { startParseServer } from '../rest/parse-server.ts';
import { ratio, table } from '../rest/table.ts';
import { type LargeOrganization, organizationWith } from './seed-projects.ts';

const ports = { platform: 18_110, parse: 18_111 };
const few = 10_000;
const many = Number(process.env.PROJECTS ?? 1_000_000);
const names = {
  alone: `list of 50 of ${few}, one caller`,
  four: `list of 50 of ${few}, four callers`,
  parse: 'Parse Server: list of 50 without the count, four callers',
  list: `list of 50 of ${many}`,
};

/** Measures lists, pages and searches of organizations with many projects. Nothing has a core of its own. */
export async function benchLists({ rounds, seconds, scratch, cache, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform and its peer …');
  const platform = await startBenchPlatform(path.join(scratch, 'lists'), ports.platform, { RATE_LIMIT: '100000000' });
  onStop(() => platform.stop());
  connectOperator(platform);
  onStop(closePeers);
  const { mongoUrl, baseUrl, processes } = platform;
  const parse = await startParseServer({ cache, scratch, mongoUrl, port: ports.parse, core: cores.both, records: few });
  onStop(parse.stop);
  log(`writing ${few} and ${many} projects …`);
  const [small, large] = [await organizationWith(few, platform), await organizationWith(many, platform)];

  const pid = processes.gateway?.pid ?? 0;
  const target = ({ headers }: LargeOrganization, name: string, query: string): Target => ({
    name,
    url: `${baseUrl}/projects${query}`,
    headers,
    pid,
  });
  const after = (share: number) => `?limit=50&cursor=${cursorAt(large.at(share), ['created_at', '_id'])}`;
  const pages = [0.1, 0.5, 0.9, 0.999].map((share) => target(large, `page after ${share * 100} % of ${many}, by its link`, after(share)));
  const searches = ['none such', 'zz', 'site', 'e 9', '77', `site ${many - 1}`, 'Site 5'].map((text) =>
    target(large, `search of ${many} for "${text}"`, `?limit=50&q=${encodeURIComponent(text)}`),
  );
  const one: Target = { ...target(large, `GET one of ${many}`, ''), url: `${baseUrl}/projects/${large.projectId}` };
  const rows: readonly { readonly target: Target; readonly callers: number }[] = [
    { target: target(small, names.alone, '?limit=50'), callers: 1 },
    { target: target(small, names.four, '?limit=50'), callers: 4 },
    { target: { name: names.parse, url: parse.listUrl, headers: [parse.credentials], pid: parse.pid }, callers: 4 },
    ...[one, target(large, names.list, '?limit=50'), ...pages, ...searches].map((each) => ({ target: each, callers: 1 })),
  ];
  const results = new Map<string, Measurement[]>(rows.map((row) => [row.target.name, []]));
  const load = { wrk: wrkProgram, scratch, core: cores.both };
  for (const row of rows) await measure(row.target, { ...load, seconds: 2, connections: row.callers });
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds} …`);
    for (const row of rows) results.get(row.target.name)?.push(await measure(row.target, { ...load, seconds, connections: row.callers }));
  }

  const of = (name: string) => results.get(name) ?? [];
  const p = (key: 'p50Ms' | 'p95Ms', name: string) => median(of(name).map((measured) => measured[key]));
  const worst = (targets: readonly Target[]) => Math.max(...targets.map(({ name }) => p('p95Ms', name)));
  log(`\n${table(results, names.alone)}\n`);
  log(
    figureTable([
      ['lists/s of four callers ÷ one caller', ratio(of(names.four), of(names.alone)), '≥ 1.5'],
      ['p50 of four callers ÷ one caller', p('p50Ms', names.four) / p('p50Ms', names.alone), '≤ 2'],
      ["list of 50 with total ÷ Parse Server's without, four callers", ratio(of(names.four), of(names.parse)), '≥ 1'],
      [`p95 of a list of 50 of ${many}, ms`, p('p95Ms', names.list), '≤ 15'],
      ['p95 of the slowest page by its link, ms', worst(pages), '≤ 15'],
      ['p95 of the slowest search, ms', worst(searches), '≤ 100'],
    ]),
  );
}
