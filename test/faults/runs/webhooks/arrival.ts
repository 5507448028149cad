import { setTimeout as pause } from 'node:timers/promises';
import type { WebhookEvent } from '@webkiln/contract';
import { agency } from '../../../harness/agency.ts';
import { localReceivers } from '../../../harness/local-receivers.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';
import { changesOf } from '../records/compare-records.ts';
import { publicTypes } from '../records/demo-consumer.ts';
import { Writers } from '../records/writers.ts';
import { compareDeliveries } from './compare-deliveries.ts';
import { ReceiverServer, type Responder } from './receiver.ts';

/** An event is accepted after this many refusals, so that no retry schedule runs out by chance. */
const maxRefusals = 3;
const slowMs = 1500;

const refusals: readonly { readonly share: number; readonly respond: Responder }[] = [
  { share: 0.05, respond: (response) => void response.writeHead(500).end('Not now.') },
  { share: 0.03, respond: (response) => void response.writeHead(429, { 'retry-after': '1' }).end() },
  { share: 0.02, respond: (response) => void response.writeHead(503).end() },
  // Never answered: the sender times out.
  { share: 0.02, respond: () => undefined },
  { share: 0.04, respond: (response) => void response.destroy() },
  // A late success.
  { share: 0.02, respond: (response) => void setTimeout(() => response.writeHead(200).end(), slowMs) },
];

/** A receiver that sometimes refuses, hangs, closes the connection or answers late. */
const unsteadyReceiver =
  (random: Random): Responder =>
  (response, received) => {
    let dice = received.deliveries > maxRefusals ? 1 : random.next();
    for (const { share, respond } of refusals) {
      if (dice < share) return respond(response, received);
      dice -= share;
    }
    response.writeHead(204).end();
  };

const parts = ['webhooks', 'nats', 'redis', 'mongodb'];
const maxWorkMs = 80;

/** Two agencies, each with its full write rate and one webhook per list of event types. */
const agencies: readonly { readonly writesPerSecond: number; readonly webhooks: readonly (readonly WebhookEvent[])[] }[] = [
  { writesPerSecond: 40, webhooks: [publicTypes, ['client.created'], ['client.updated', 'project.created']] },
  { writesPerSecond: 10, webhooks: [publicTypes] },
];

/** The retry schedule in seconds instead of days, with more attempts than the receivers refuse. */
export const arrivalSettings: NodeJS.ProcessEnv = {
  ...localReceivers,
  RATE_LIMIT: '1000000',
  QUOTA_EVENTS: '1000000',
  WEBHOOK_TIMEOUT: '2s',
  WEBHOOK_RETRY_WAITS: '300ms,500ms,1s,1s,2s,2s,5s,5s,10s,10s,20s,20s',
};

interface Counts {
  /** How long the writers run around each kill. */
  readonly msPerPart: number;
  /** Stories started just before each kill, so that it always hits running work. Default 20. */
  readonly storiesInFlight?: number;
  /** The share of the full write rates; default 1. */
  readonly load?: number;
  readonly seed?: number;
}

/** Kills each part in turn while agencies write and their receivers fail at random. Every event must still arrive. */
export async function deliverEveryEvent(
  platform: TestPlatform,
  { msPerPart, storiesInFlight = 20, load = 1, seed = chooseSeed() }: Counts,
): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  await using receivers = await ReceiverServer.start(unsteadyReceiver(new Random(seed + 1)));
  const writingAgencies = [];
  for (const { writesPerSecond, webhooks } of agencies) {
    const owner = await agency(platform.facts);
    const subscribers = [];
    for (const types of webhooks) subscribers.push(await receivers.subscribe(owner, types));
    writingAgencies.push({ writers: new Writers(owner.api, load * writesPerSecond), subscribers });
  }
  for (const { writers } of writingAgencies) writers.start();
  for (const part of parts) {
    await pause(msPerPart / 2);
    for (const { writers } of writingAgencies) writers.begin(storiesInFlight / writingAgencies.length);
    await pause(random.integerUpTo(maxWorkMs));
    await platform.replace(part, 'SIGKILL');
    await pause(msPerPart / 2);
  }
  await Promise.all(writingAgencies.map(({ writers }) => writers.finish()));
  const compared = writingAgencies.flatMap(({ writers, subscribers }) => {
    for (const failure of writers.failures) findings.check(false, failure);
    return subscribers.map((subscriber) => compareDeliveries(subscriber, changesOf(writers.acknowledged), findings));
  });
  await Promise.all(compared);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const subscribers = writingAgencies.flatMap((writingAgency) => writingAgency.subscribers);
  const writes = sum(writingAgencies.map(({ writers }) => writers.writes));
  const deliveries = sum(subscribers.map(({ received }) => received.size));
  const repeats = sum(subscribers.map((subscriber) => subscriber.repeats));
  const lost = findings.failures.length === 0 ? 'none lost' : 'see the failures';
  const figure = `${writes} writes, ${deliveries} events delivered, ${lost}; ${repeats} repeats, each with the same id and body`;
  return { seed, tries: parts.length, figure, failures: findings.failures };
}
