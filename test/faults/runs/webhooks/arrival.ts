import { setTimeout as pause } from 'node:timers/promises';
import type { WebhookEvent } from '@webkiln/contract';
import { agency } from '../../harness/agency.ts';
import { localReceivers } from '../../harness/local-receivers.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { Audience } from './audience.ts';
import { changesOf } from './compare.ts';
import { compareDeliveries } from './compare-deliveries.ts';
import { publicTypes } from './demo-consumer.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { Random } from './random.ts';
import { unsteady } from './unsteady.ts';
import { Writers } from './writers.ts';

const parts = ['webhooks', 'nats', 'redis', 'mongodb'];
/** Stories begun in the moment before a part is killed, so that it is always at work then. */
const caughtAtWork = 20;
const mostMsOfWork = 80;

/** Two agencies with this many writes a second, and a webhook for each list of events. */
const agencies: readonly { readonly writesPerSecond: number; readonly webhooks: readonly (readonly WebhookEvent[])[] }[] = [
  { writesPerSecond: 40, webhooks: [publicTypes, ['client.created'], ['client.updated', 'project.created']] },
  { writesPerSecond: 10, webhooks: [publicTypes] },
];

/** The schedule of retries in seconds where it has days, and more attempts than the receivers refuse. */
export const arrivalSettings: NodeJS.ProcessEnv = {
  ...localReceivers,
  RATE_LIMIT: '1000000',
  WEBHOOK_TIMEOUT: '2s',
  WEBHOOK_RETRY_WAITS: '300ms,500ms,1s,1s,2s,2s,5s,5s,10s,10s,20s,20s',
};

interface Counts {
  /** For how long is written around the death of each part. */
  readonly msEach: number;
  readonly seed?: number;
}

/** Promise 1 as agencies see it: kills each part in turn while they write and their receivers are unsteady; every event arrives after all. */
export async function webhooksArrive(platform: TestPlatform, { msEach, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  await using audience = await Audience.start(unsteady(new Random(seed + 1)));
  const desks = [];
  for (const { writesPerSecond, webhooks } of agencies) {
    const owner = await agency(platform.facts);
    const subscribers = [];
    for (const types of webhooks) subscribers.push(await audience.subscribe(owner, types));
    desks.push({ writers: new Writers(owner.api, writesPerSecond), subscribers });
  }
  for (const { writers } of desks) writers.start();
  for (const part of parts) {
    await pause(msEach / 2);
    for (const { writers } of desks) writers.begin(caughtAtWork / desks.length);
    await pause(random.upTo(mostMsOfWork));
    await platform.replace(part, 'SIGKILL');
    await pause(msEach / 2);
  }
  await Promise.all(desks.map(({ writers }) => writers.finish()));
  const compared = desks.flatMap(({ writers, subscribers }) => {
    for (const failure of writers.failures) findings.check(false, failure);
    return subscribers.map((subscriber) => compareDeliveries(subscriber, changesOf(writers.acknowledged), findings));
  });
  await Promise.all(compared);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const subscribers = desks.flatMap((desk) => desk.subscribers);
  const writes = sum(desks.map(({ writers }) => writers.writes));
  const deliveries = sum(subscribers.map(({ heard }) => heard.size));
  const repeats = sum(subscribers.map((subscriber) => subscriber.repeats));
  const lost = findings.failures.length === 0 ? 'none lost' : 'see what failed';
  const figure = `${writes} writes, ${deliveries} events delivered, ${lost}; ${repeats} came again, each under its id with its body`;
  return { seed, tries: parts.length, figure, failures: findings.failures };
}
