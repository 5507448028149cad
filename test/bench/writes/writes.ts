import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { closePeers } from '@webkiln/rpc';
import type { Bench } from '../bench.ts';
import { cpuSeconds } from '../cpu.ts';
import { connectOperator, newOrganization } from '../organization.ts';
import { type BenchPlatform, startBenchPlatform } from '../platform.ts';
import { median } from '../report.ts';

const port = 18_087;
const writes = Number(process.env.WRITES ?? 1000);
const connections = Number(process.env.CONNECTIONS ?? 16);
const invitations = 1500;
/** Each makes at most a few of a row's writes, far below its limit a minute. */
const keys = 200;
const restSeconds = 5;
/** CPU seconds a second, before it is known how much a platform at rest takes. */
const muchAtRest = 0.3;
/** No more CPU than at rest, within what ticks of 10 ms can tell. */
const quiet = { timesRest: 1.3, moreSeconds: 0.03 };

type Send = (method: string, resource: string, body: unknown, expected?: number) => Promise<Reply>;
type Reply = { readonly client: { id: string; email: string }; readonly project: { id: string }; readonly plan: { id: string } };

interface Row {
  readonly name: string;
  readonly write: (index: number) => Promise<unknown>;
}

/** CPU µs of one write. */
interface Cost {
  readonly untilAnswered: ReadonlyMap<string, number>;
  readonly withFollowUp: ReadonlyMap<string, number>;
}

/** Measures the CPU that all processes spend on a write, until it is answered and until all that it causes is done. */
export async function benchWrites({ rounds, scratch, log, onStop }: Bench): Promise<void> {
  log('starting the platform …');
  const folder = path.join(scratch, 'writes');
  const platform = await startBenchPlatform(folder, port, { QUOTA_MAILS_NEW: '10000000' });
  onStop(() => platform.stop());
  connectOperator(platform);
  onStop(closePeers);
  const send = sender(platform, (await newOrganization(keys)).headers);
  const rows = await rowsOf(send);
  for (const row of rows) await runAll(writes, row.write);
  await untilQuiet(platform, muchAtRest);
  const rest = await cpuAtRest(platform);
  log(`at rest: ${(sum(rest) * 1000).toFixed(0)} ms of CPU a second`);
  const costs = new Map<string, Cost[]>(rows.map(({ name }) => [name, []]));
  const doneMs: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds} …`);
    for (const row of rows) costs.get(row.name)?.push(await costOf(row, platform, rest));
    doneMs.push(await invitationsDoneMs(send, path.join(folder, 'mail')));
    await untilQuiet(platform, sum(rest));
  }
  log(`\n${tableOf(costs)}\n\n${budgetOf(costs.get(rows[0]?.name ?? '') ?? [])}`);
  log(`\n${invitations} invitations at once: the last mail is written after ${median(doneMs).toFixed(0)} ms`);
}

function sender({ baseUrl }: BenchPlatform, headers: readonly { readonly authorization: string }[]): Send {
  let sent = 0;
  return async (method, resource, body, expected = 2) => {
    const init = {
      method,
      headers: { ...headers[sent++ % headers.length], 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${baseUrl}${resource}`, init);
    const text = await response.text();
    if (Math.floor(response.status / 100) !== expected) throw new Error(`${method} ${resource}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
}

let made = 0;
const newEmail = () => `writes-${made++}@example.test`;

async function rowsOf(send: Send): Promise<Row[]> {
  const activeClient = async (fields: object = {}) => {
    const { client } = await send('POST', '/clients', { email: newEmail(), ...fields });
    await send('PATCH', `/clients/${client.id}`, { status: 'active' });
    return client.email;
  };
  const plan = (fields: object = {}) => ({ name: `Plan ${made++}`, price: 0, interval: 'monthly', ...fields });
  const ofOneSite = (await send('POST', '/plans', plan({ max_sites: 1 }))).plan.id;
  const [owner, full] = [await activeClient(), await activeClient({ plan_id: ofOneSite })];
  const project = (client_email: string) => ({ client_email, name: `Site ${made++}` });
  await send('POST', '/projects', project(full));
  const shared = (await send('POST', '/projects', project(owner))).project.id;
  return [
    { name: 'POST client', write: () => send('POST', '/clients', { email: newEmail(), name: 'Client' }) },
    { name: 'POST plan', write: () => send('POST', '/plans', plan()) },
    { name: 'POST template', write: () => send('POST', '/templates', { name: `Template ${made++}` }) },
    { name: 'POST project', write: () => send('POST', '/projects', project(owner)) },
    { name: "POST project, refused by its client's plan", write: () => send('POST', '/projects', project(full), 4) },
    { name: 'PATCH of one project by all', write: (index) => send('PATCH', `/projects/${shared}`, { name: `Name ${index}` }) },
  ];
}

async function runAll(count: number, write: (index: number) => Promise<unknown>, atOnce = connections): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await write(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

type CpuByProcess = ReadonlyMap<string, number>;

const cpuOf = ({ processes }: BenchPlatform): CpuByProcess =>
  new Map(Object.entries(processes).map(([name, { pid }]) => [name, cpuSeconds([pid])]));

const sum = (cpu: CpuByProcess): number => [...cpu.values()].reduce((total, seconds) => total + seconds, 0);

const map = (cpu: CpuByProcess, of: (seconds: number, name: string) => number): CpuByProcess =>
  new Map([...cpu].map(([name, seconds]) => [name, of(seconds, name)]));

/** CPU seconds a second of each process while nobody asks. */
async function cpuAtRest(platform: BenchPlatform): Promise<CpuByProcess> {
  const before = cpuOf(platform);
  await pause(restSeconds * 1000);
  return map(cpuOf(platform), (seconds, name) => (seconds - (before.get(name) ?? 0)) / restSeconds);
}

/** Waits until the platform takes as little CPU for a second as at rest. */
async function untilQuiet(platform: BenchPlatform, rest: number): Promise<void> {
  for (let used = Number.POSITIVE_INFINITY; used > rest * quiet.timesRest + quiet.moreSeconds; ) {
    const before = sum(cpuOf(platform));
    await pause(1000);
    used = sum(cpuOf(platform)) - before;
  }
}

async function costOf({ write }: Row, platform: BenchPlatform, rest: CpuByProcess): Promise<Cost> {
  const [before, startedAt] = [cpuOf(platform), performance.now()];
  const perWrite = (): CpuByProcess => {
    const seconds = (performance.now() - startedAt) / 1000;
    return map(cpuOf(platform), (cpu, name) => ((cpu - (before.get(name) ?? 0) - (rest.get(name) ?? 0) * seconds) * 1e6) / writes);
  };
  await runAll(writes, write);
  const untilAnswered = perWrite();
  await untilQuiet(platform, sum(rest));
  return { untilAnswered, withFollowUp: perWrite() };
}

/** How long it takes until the mails of many invitations that are asked for at once are written. */
async function invitationsDoneMs(send: Send, mails: string): Promise<number> {
  const [before, startedAt] = [readdirSync(mails).length, performance.now()];
  await runAll(invitations, () => send('POST', '/clients', { email: newEmail() }), 64);
  while (readdirSync(mails).length < before + invitations) await pause(100);
  return performance.now() - startedAt;
}

const micros = (costs: readonly Cost[], of: (cost: Cost) => number): string => median(costs.map(of)).toFixed(0);

const tableOf = (rows: ReadonlyMap<string, readonly Cost[]>): string =>
  [
    '| write | CPU µs until answered | with all that follows |',
    '|---|---|---|',
    ...[...rows].map(
      ([name, costs]) =>
        `| ${name} | ${micros(costs, (cost) => sum(cost.untilAnswered))} | ${micros(costs, (cost) => sum(cost.withFollowUp))} |`,
    ),
  ].join('\n');

const budgetOf = (costs: readonly Cost[]): string =>
  [
    '| process | CPU µs of a POST client until answered | with all that follows |',
    '|---|---|---|',
    ...[...(costs[0]?.withFollowUp.keys() ?? [])].map((name) => {
      const of = (when: keyof Cost) => micros(costs, (cost) => cost[when].get(name) ?? 0);
      return `| ${name} | ${of('untilAnswered')} | ${of('withFollowUp')} |`;
    }),
  ].join('\n');
