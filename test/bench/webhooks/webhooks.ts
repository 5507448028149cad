import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { closePeers } from '@webkiln/rpc';
import { Pool } from 'undici';
import type { Bench } from '../bench.ts';
import { cores, pin } from '../cores.ts';
import { cpuSeconds } from '../cpu.ts';
import { type BenchOrganization, connectOperator, newOrganization } from '../organization.ts';
import { type BenchPlatform, startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import { spawnServer } from '../spawn.ts';
import { publishBacklog } from './backlog.ts';
import { readTally, resetTally, waitForTally } from './tally.ts';

const run = promisify(execFile);

/** The result of one dispatcher in one round. */
interface DispatchResult {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

interface Environment {
  readonly receiver: string;
  readonly natsUrl: string;
  readonly mongoUrl: string;
  /** Ids. Each organization has a webhook for client.updated at the receiver. */
  readonly organizations: readonly string[];
  /** Process id of the webhooks service. */
  readonly pid: number;
}

/**
 * Measures our dispatcher: publishes a backlog while it is stopped, then lets it run. `first` is the backlog's first
 * stream sequence.
 */
async function ours({ receiver, natsUrl, organizations, pid }: Environment, count: number): Promise<DispatchResult & { first: number }> {
  await resetTally(receiver);
  process.kill(pid, 'SIGSTOP');
  const first = await publishBacklog(natsUrl, count, organizations).finally(() => process.kill(pid, 'SIGCONT'));
  const before = cpuSeconds([pid]);
  const { seconds } = await waitForTally(receiver, count);
  return { perSecond: count / seconds, cpuMicros: ((cpuSeconds([pid]) - before) * 1e6) / count, first };
}

/** Measures the hand-written dispatcher over the same events. */
const byHand = ({ receiver, natsUrl, mongoUrl }: Environment, count: number, first: number): Promise<DispatchResult> =>
  peer('dispatcher.ts', {
    RECEIVER: receiver,
    NATS_URL: natsUrl,
    MONGODB_URL: mongoUrl,
    COUNT: `${count}`,
    FIRST: `${first}`,
    NAME: `by-hand-${first}`,
  });

/** Measures bare requests. */
const bareLoop = ({ receiver }: Environment, seconds: number): Promise<DispatchResult> =>
  peer('bare-loop.ts', { RECEIVER: receiver, SECONDS: `${seconds}` });

async function peer(script: string, settings: Readonly<Record<string, string>>): Promise<DispatchResult> {
  const program = path.join(import.meta.dirname, 'peers', script);
  const env = { ...process.env, NODE_ENV: 'production', ...settings };
  const { stdout } = await run('taskset', ['-c', cores.front, process.execPath, program], { env });
  const { deliveries, seconds, cpuMicros } = JSON.parse(stdout);
  return { perSecond: deliveries / seconds, cpuMicros: cpuMicros / deliveries };
}

/**
 * Runs `senders` callers that create clients one after the other, each named by the time of its request. Resolves
 * after `seconds` with the number of accepted requests.
 */
async function createClients(
  baseUrl: string,
  { headers }: BenchOrganization,
  { senders, seconds }: { senders: number; seconds: number },
): Promise<number> {
  const { origin, pathname } = new URL(baseUrl);
  const pool = new Pool(origin, { connections: senders });
  const stopping = new AbortController();
  let [next, accepted] = [0, 0];
  const send = async () => {
    while (!stopping.signal.aborted) {
      const index = next++;
      const response = await pool.request({
        method: 'POST',
        path: `${pathname}/clients`,
        headers: { ...headers[index % headers.length], 'content-type': 'application/json' },
        body: JSON.stringify({ email: `${crypto.randomUUID()}@example.test`, name: String(process.hrtime.bigint()) }),
      });
      const answer = await response.body.text();
      if (response.statusCode !== 201) throw new Error(`POST /clients: ${response.statusCode} ${answer}`);
      accepted += 1;
    }
  };
  const sending = Promise.all(Array.from({ length: senders }, send));
  await Promise.race([sending, pause(seconds * 1000)]);
  stopping.abort();
  await sending;
  await pool.close();
  return accepted;
}

const events = Number(process.env.EVENTS ?? 20_000);
const organizations = Number(process.env.ORGANIZATIONS ?? 8);
const senders = Number(process.env.SENDERS ?? 16);
const senderSeconds = Number(process.env.SENDER_SECONDS ?? 20);
/** Enough keys to stay below the request limit of each. */
const senderKeys = 500;
const ports = { platform: 18_090, receiver: 18_091 };
const receiver = `http://127.0.0.1:${ports.receiver}`;

/** Allows the receiver on this machine, which webhooks may not reach by default. Every address check still runs. */
const settings = { OUTBOUND_ALLOW_HTTP: 'true', OUTBOUND_PORTS: `${ports.receiver}`, OUTBOUND_ALLOWED_CIDRS: '127.0.0.1/32' };

/** Measures the cost of a delivery, compared with bare requests and with a hand-written dispatcher. */
export async function benchWebhooks({ rounds, seconds, scratch, log, onStop }: Bench): Promise<void> {
  log('starting the platform and a receiver …');
  const platform = await startBenchPlatform(path.join(scratch, 'webhooks'), ports.platform, settings);
  onStop(() => platform.stop());
  const program = path.join(import.meta.dirname, 'receiver.ts');
  const started = await spawnServer([program], { core: cores.rest, url: receiver, env: { PORT: `${ports.receiver}` } });
  onStop(started.stop);
  connectOperator(platform);
  onStop(closePeers);
  const subscribers = [];
  for (let index = 0; index < organizations; index++) subscribers.push(await subscriber(platform, 'client.updated', '/', 1));
  const timed = await subscriber(platform, 'client.created', '/timed', senderKeys);

  const { processes, mongoUrl } = platform;
  for (const [name, { pid }] of Object.entries(processes)) pin(pid, name === 'webhooks' ? cores.front : cores.rest);
  pin(process.pid, cores.rest);
  const natsUrl = `nats://127.0.0.1:${processes.nats?.port}`;
  const environment = { receiver, natsUrl, mongoUrl, organizations: subscribers.map(({ id }) => id), pid: processes.webhooks?.pid ?? 0 };
  log('warming up …');
  await ours(environment, events / 4);
  const results: Record<'ours' | 'byHand' | 'bare', DispatchResult[]> = { ours: [], byHand: [], bare: [] };
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds} …`);
    const { first, ...dispatched } = await ours(environment, events);
    results.ours.push(dispatched);
    results.byHand.push(await byHand(environment, events, first));
    results.bare.push(await bareLoop(environment, seconds));
  }

  log(`${senders} senders for ${senderSeconds} s …`);
  for (const { pid } of Object.values(processes)) pin(pid, cores.both);
  await resetTally(receiver);
  const accepted = await createClients(platform.baseUrl, timed, { senders, seconds: senderSeconds });
  const delivered = (await readTally(receiver)).count;
  const { p50Ms, p99Ms } = await waitForTally(receiver, accepted);

  const rateOf = (of: readonly DispatchResult[]) => median(of.map(({ perSecond }) => perSecond));
  const ratio = (to: readonly DispatchResult[]) =>
    median(results.ours.map(({ perSecond }, round) => perSecond / (to[round]?.perSecond ?? Number.NaN)));
  const row = (name: string, of: readonly DispatchResult[]) =>
    `| ${name} | ${rateOf(of).toFixed(0)} | ${median(of.map(({ cpuMicros }) => cpuMicros)).toFixed(0)} |`;
  log('\n| dispatcher | deliveries/s | own CPU µs/delivery |\n|---|---|---|');
  log(row('signed requests by undici, nothing stored', results.bare));
  log(row('hand-written: fetch, one write and one ack per event', results.byHand));
  log(`${row(`Webkiln, ${organizations} webhooks`, results.ours)}\n`);
  log(
    figureTable([
      ['Webkiln ÷ hand-written', ratio(results.byHand), '≥ 4'],
      ['Webkiln ÷ signed requests alone', ratio(results.bare), '≥ 0.35'],
      [`delivered ÷ accepted, ${senders} senders, ${(accepted / senderSeconds).toFixed(0)} accepted/s`, delivered / accepted, '≥ 0.9'],
      ['p50 from the request to the receiver, ms', p50Ms, ''],
      ['p99 from the request to the receiver, ms', p99Ms, '≤ 170'],
    ]),
  );
}

/** Creates an organization with a webhook for `event` at the receiver. */
async function subscriber(platform: BenchPlatform, event: string, route: string, keys: number) {
  const organization = await newOrganization(keys);
  const body = JSON.stringify({ url: `${receiver}${route}`, events: [event] });
  const headers = { ...organization.headers[0], 'content-type': 'application/json' };
  const response = await fetch(`${platform.baseUrl}/webhooks`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`POST /webhooks: ${response.status} ${await response.text()}`);
  return organization;
}
