import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { closePeers } from '@webkiln/rpc';
import { cursorAt, textParts } from '@webkiln/store/testing';
import { type Document, MongoClient } from 'mongodb';
import type { Bench } from '../bench.ts';
import { cores } from '../cores.ts';
import { type BenchOrganization, connectOperator, newOrganization } from '../organization.ts';
import { type BenchPlatform, startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import { type Measurement, measure, type Target } from '../rest/load.ts';
import { startParseServer } from '../rest/parse-server.ts';
import { ratio, table } from '../rest/table.ts';

const batchSize = 5_000;
/** Beyond the random place of the original. */
const firstPlace = 100_000_000;

interface Project extends Document {
  readonly _id: string;
  readonly created_at: string;
}

interface LargeOrganization extends BenchOrganization {
  readonly projectId: string;
  /** The project that has a share (0 to 1) of the list before it. */
  at(share: number): Project;
}

/** An organization with `count` projects: one is made through the API, the others are its copies with other names. */
async function organizationWith(count: number, { baseUrl, mongoUrl }: BenchPlatform): Promise<LargeOrganization> {
  const organization = await newOrganization(1);
  const send = async (method: string, route: string, body: object) => {
    const headers = { ...organization.headers[0], 'content-type': 'application/json' };
    const response = await fetch(`${baseUrl}${route}`, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ client: { id: string }; project: { id: string } }>;
  };
  const email = `owner-of-${count}@example.test`;
  const { client } = await send('POST', '/clients', { email });
  await send('PATCH', `/clients/${client.id}`, { status: 'active' });
  const { project } = await send('POST', '/projects', { client_email: email, name: 'Site 0', description: 'A site' });
  const copies = await copy(mongoUrl, project.id, count - 1);
  return { ...organization, projectId: project.id, at: (share) => copies[Math.floor(share * (copies.length - 1))] as Project };
}

/** Returns the copies in the order of the list: newest first. */
async function copy(mongoUrl: string, id: string, count: number): Promise<Project[]> {
  const mongodb = await MongoClient.connect(mongoUrl);
  try {
    const projects = mongodb.db('webkiln_projects_templates').collection<Project>('projects');
    const original = await projects.findOne({ _id: id });
    if (original === null) throw new Error(`project ${id} is not in the database`);
    const oldest = Date.parse(original.created_at) - count * 1_000;
    const copies: Project[] = [];
    for (let from = 1; from <= count; from += batchSize) {
      const batch = Array.from({ length: Math.min(batchSize, count - from + 1) }, (_, index): Project => {
        const number = from + index;
        const place = firstPlace + number;
        const name = `Site ${number}`;
        const created_at = new Date(oldest + number * 1_000).toISOString();
        return { ...original, _id: randomUUID(), name, name_parts: textParts(name), created_at, place, site_place: place };
      });
      await projects.insertMany(batch, { ordered: false });
      for (const { _id, created_at } of batch) copies.push({ _id, created_at });
    }
    return copies.reverse();
  } finally {
    await mongodb.close();
  }
}

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
