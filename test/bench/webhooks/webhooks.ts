import path from 'node:path';
import { closePeers } from '@webkiln/rpc';
import type { Bench } from '../bench.ts';
import { cores, pin } from '../cores.ts';
import { connectOperator, newOrganization } from '../organization.ts';
import { type BenchPlatform, startBenchPlatform } from '../platform.ts';
import { figureTable, median } from '../report.ts';
import { spawnServer } from '../spawn.ts';
import { bareLoop, byHand, type DispatchResult, ours } from './dispatchers.ts';
import { createClients } from './senders.ts';
import { readTally, resetTally, waitForTally } from './tally.ts';

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
