import { setTimeout as pause } from 'node:timers/promises';
import { agency, eventually } from '../../harness/agency.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { Audience } from './audience.ts';
import { changesOf } from './compare.ts';
import { compareDeliveries, deliveriesOf } from './compare-deliveries.ts';
import { publicTypes } from './demo-consumer.ts';
import { Holding } from './holding.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { Random } from './random.ts';
import { SilentTests } from './silent-tests.ts';
import { Writers } from './writers.ts';

const replicas = ['webhooks', 'webhooks-2'];
const writesPerSecond = 50;
/** The load after each restart. */
const betweenMs = 1000;
const heldShare = 0.1;
/** Fewer than a process has slots for one endpoint: others go on beside those that are held. */
const heldAtOnce = 8;
/** Tests of a webhook that never answers, over both processes: a stop has more to wait for than there is time. */
const testsAtOnce = 4;
const underWayWithinMs = 120_000;

/** SIGTERM to one of two webhooks processes after the other, while each has attempts under way: another one makes them at once. */
export async function stopWebhooks(
  platform: TestPlatform,
  { rounds, seed = chooseSeed() }: { rounds: number; seed?: number },
): Promise<Outcome> {
  const findings = new Findings();
  const random = new Random(seed);
  const holding = new Holding(({ times }, heldNow) => times === 1 && heldNow < heldAtOnce && random.next() < heldShare);
  await using audience = await Audience.start(holding.conduct);
  const owner = await agency(platform.facts);
  const subscriber = await audience.subscribe(owner, publicTypes);
  await using silent = await SilentTests.start(owner);
  const writers = new Writers(owner.api, writesPerSecond);
  writers.start();
  for (let round = 0; round < rounds; round++) {
    for (const name of replicas) {
      await eventually(() => {
        if (holding.held.size === 0) throw new Error('no attempt is under way');
      }, underWayWithinMs);
      await silent.callAtOnce(testsAtOnce);
      await platform.replace(name, 'SIGTERM');
      await pause(betweenMs);
    }
  }
  await writers.finish();
  holding.release();
  for (const failure of writers.failures) findings.check(false, failure);
  await compareDeliveries(subscriber, changesOf(writers.acknowledged), findings);
  findings.check(holding.abandoned > 0, 'no stop met an attempt under way');
  for (const { event_id, attempts } of await deliveriesOf(subscriber)) {
    const statuses = attempts.map(({ status_code, reason }) => status_code ?? reason);
    findings.check(statuses.join() === '204', `a stop counts as an attempt of ${event_id}: ${statuses}`);
  }
  const figure = `${subscriber.heard.size} events delivered, ${holding.abandoned} handed back by a process that stopped, none waited for a retry`;
  return { seed, tries: rounds * replicas.length, figure, failures: findings.failures };
}
