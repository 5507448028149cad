import path from 'node:path';
import { supplyProgram, wrk } from '@webkiln/dev-platform';
import { closePeers } from '@webkiln/rpc';
import { MongoClient } from 'mongodb';
import type { Bench } from '../bench.ts';
import { cores, pin } from '../cores.ts';
import { interleave } from '../interleave.ts';
import { connectOperator, newOrganization } from '../organization.ts';
import { startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import type { Target } from '../rest/load.ts';
import { ratio, table } from '../rest/table.ts';
import { seedFigures } from './seed-figures.ts';

const port = 18_099;
const sites = Number(process.env.SITES ?? 1_000);
const days = Number(process.env.DAYS ?? 365);
const connections = Number(process.env.CONNECTIONS ?? 2);
const names = {
  project: 'GET the project',
  year: 'a year of one site',
  all: `a year of ${sites} sites`,
  month: `30 days of ${sites} sites`,
  table: `a year of ${sites} sites, as a table`,
};

/** Measures the cost of a report, compared with reading one record by the same route. */
export async function benchReport({ rounds, seconds, scratch, log, onStop }: Bench): Promise<void> {
  const wrkProgram = await supplyProgram(wrk, (name, text) => log(`${name}: ${text}`));
  log('starting the platform …');
  const platform = await startBenchPlatform(path.join(scratch, 'report'), port, { RATE_LIMIT: '100000000' });
  onStop(() => platform.stop());
  connectOperator(platform);
  onStop(closePeers);
  const { id: org_id, headers } = await newOrganization(1);
  const send = async (method: string, route: string, body: object) => {
    const init = { method, headers: { ...headers[0], 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${platform.baseUrl}${route}`, init);
    return response.json() as Promise<{ client: { id: string }; project: { id: string } }>;
  };
  const { client } = await send('POST', '/clients', { email: 'owner@example.test' });
  await send('PATCH', `/clients/${client.id}`, { status: 'active' });
  const { project } = await send('POST', '/projects', { client_email: 'owner@example.test', name: 'Site' });
  log(`writing the figures of ${sites} sites and ${days} days …`);
  const mongodb = await MongoClient.connect(platform.mongoUrl);
  onStop(() => mongodb.close());
  await seedFigures({ mongodb, org_id, project_id: project.id, sites, days });
  const pid = platform.processes.analytics?.pid ?? 0;
  for (const [name, each] of Object.entries(platform.processes)) pin(each.pid, name === 'analytics' ? cores.front : cores.rest);

  const target = (name: string, route: string, more: Readonly<Record<string, string>> = {}): Target => ({
    name,
    url: `${platform.baseUrl}${route}`,
    headers: [{ ...headers[0], ...more }],
    pid,
  });
  const targets = [
    target(names.project, `/projects/${project.id}`),
    target(names.year, `/analytics?days=365&project_id=${project.id}`),
    target(names.all, '/analytics?days=365'),
    target(names.month, '/analytics'),
    target(names.table, '/analytics?days=365', { accept: 'text/csv' }),
  ];
  const results = await interleave(targets, { wrk: wrkProgram, scratch, connections, core: cores.rest, seconds, rounds, log });
  const of = (name: string) => results.get(name) ?? [];
  const p99 = (name: string) => median(of(name).map(({ p99Ms }) => p99Ms));
  log(`\n${table(results, names.project)}\n`);
  log(
    figureTable([
      ['p99 of a year of one site, ms', p99(names.year), '≤ 50'],
      [`p99 of a year of ${sites} sites, ms`, p99(names.all), '≤ 50'],
      ['a year of one site ÷ one record', ratio(of(names.year), of(names.project)), ''],
      [`a year of ${sites} sites ÷ one record`, ratio(of(names.all), of(names.project)), ''],
    ]),
  );
}
