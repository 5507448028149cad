import { setTimeout as pause } from 'node:timers/promises';
import { agency, eventually } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';
import { changesOf } from '../records/compare-records.ts';
import { publicTypes } from '../records/demo-consumer.ts';
import { Writers } from '../records/writers.ts';
import { compareDeliveries, deliveriesOf } from './compare-deliveries.ts';
import { HangingTests } from './hanging-tests.ts';
import { HoldingReceiver } from './holding-receiver.ts';
import { ReceiverServer } from './receiver.ts';

const replicas = ['webhooks', 'webhooks-2'];
/** Duration of the load after each restart. */
const betweenMs = 1000;
const heldShare = 0.1;
/** Fewer than a process has slots for one endpoint, so that other deliveries continue. */
const maxHeld = 8;
/** Test calls to a webhook that never answers, over both processes. They outlast the time a stop may take. */
const concurrentTests = 4;
const inFlightTimeoutMs = 120_000;

/**
 * Sends SIGTERM to each of two webhooks processes while it has attempts in flight. The other must make them at once.
 */
export async function stopWebhooks(
  platform: TestPlatform,
  { rounds, writesPerSecond = 50, seed = chooseSeed() }: { rounds: number; writesPerSecond?: number; seed?: number },
): Promise<Outcome> {
  const findings = new Findings();
  const random = new Random(seed);
  const holding = new HoldingReceiver(({ deliveries }, heldNow) => deliveries === 1 && heldNow < maxHeld && random.next() < heldShare);
  await using receivers = await ReceiverServer.start(holding.respond);
  const owner = await agency(platform.facts);
  const subscriber = await receivers.subscribe(owner, publicTypes);
  await using hangingTests = await HangingTests.start(owner);
  const writers = new Writers(owner.api, writesPerSecond);
  writers.start();
  for (let round = 0; round < rounds; round++) {
    for (const name of replicas) {
      await eventually(() => {
        if (holding.held.size === 0) throw new Error('no attempt is in flight');
      }, inFlightTimeoutMs);
      await hangingTests.startCalls(concurrentTests);
      await platform.replace(name, 'SIGTERM');
      await pause(betweenMs);
    }
  }
  await writers.finish();
  holding.release();
  for (const failure of writers.failures) findings.check(false, failure);
  await compareDeliveries(subscriber, changesOf(writers.acknowledged), findings);
  findings.check(holding.abandoned > 0, 'no stop hit an attempt in flight');
  for (const { event_id, attempts } of await deliveriesOf(subscriber)) {
    const statuses = attempts.map(({ status_code, reason }) => status_code ?? reason);
    findings.check(statuses.join() === '204', `a stop was counted as an attempt of ${event_id}: ${statuses}`);
  }
  const figure = `${subscriber.received.size} events delivered, ${holding.abandoned} handed back by a stopping process, none waited for a retry`;
  return { seed, tries: rounds * replicas.length, figure, failures: [...findings.failures, ...reasons(platform, findings)] };
}

/** What the processes have logged about their stops and claims, if anything failed. */
function reasons(platform: TestPlatform, { failures }: Findings): string[] {
  if (failures.length === 0) return [];
  const logged = (name: string) => platform.lastLines(name, 200).filter((line) => /stop|claim|outcome/.test(line));
  return replicas.flatMap((name) => logged(name).map((line) => `${name} logged: ${line}`));
}
