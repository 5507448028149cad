import { setTimeout as pause } from 'node:timers/promises';
import { agency, eventually } from '../../harness/agency.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { compareEvents, compareRecords } from './compare.ts';
import { type DemoConsumer, startDemoConsumer } from './demo-consumer.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { Random } from './random.ts';
import { Writers } from './writers.ts';

const parts = ['identity', 'clients-plans', 'projects-templates', 'gateway', 'nats', 'redis', 'mongodb'];
const writesPerSecond = 50;
const backWithinMs = 10_000;
const settledWithinMs = 300_000;
/** How many times what a story takes undisturbed its return may take on top: the machine may be of any speed. */
const slack = 10;
/** Stories begun in the moment before a part is disturbed, so that it is always at work then. */
const caughtAtWork = 20;
const mostMsOfWork = 80;

/** Resolves when the part runs again, with the moment (monotonic, ms) from which on its return is told. */
type Disturb = (platform: TestPlatform, part: string) => Promise<number>;

/** kill -9; the platform's supervisor starts the part again. */
export const kill: Disturb = async (platform, part) => {
  const since = performance.now();
  await platform.replace(part, 'SIGKILL');
  return since;
};

/** SIGSTOP, and SIGCONT after a while. */
export const pausedFor =
  (ms: number): Disturb =>
  async (platform, part) => {
    platform.signal(part, 'SIGSTOP');
    await pause(ms);
    platform.signal(part, 'SIGCONT');
    return performance.now();
  };

/** Promises 1 and 2: disturbs each part in turn, `rounds` times, while agencies write; then looks for every acknowledged write. */
export async function loseNothing(
  platform: TestPlatform,
  disturb: Disturb,
  { rounds, seed = chooseSeed() }: { rounds: number; seed?: number },
): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  const { api, organization } = await agency(platform.facts);
  await using consumer = await startDemoConsumer(platform.facts);
  const writers = new Writers(api, writesPerSecond);
  writers.start();
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    for (const part of parts) {
      const calmMs = await untilItWorks(writers, consumer, organization.id);
      writers.begin(caughtAtWork);
      await pause(random.upTo(mostMsOfWork));
      const since = await disturb(platform, part);
      // How long a process takes to start is the machine's affair, and so is how long a story takes.
      const backMs = await untilItWorks(writers, consumer, organization.id);
      findings.check(
        backMs <= backWithinMs + slack * calmMs,
        `${part} was back ${Math.round(backMs)} ms after it ran, calm: ${Math.round(calmMs)}`,
      );
      slowestMs = Math.max(slowestMs, performance.now() - since);
    }
  }
  await writers.finish();
  for (const failure of writers.failures) findings.check(false, failure);
  await compareRecords(api, writers.acknowledged, findings);
  await compareEvents({ natsUrl: platform.facts.urls.NATS_URL, organization, consumer, acknowledged: writers.acknowledged }, findings);
  const figure = `${writers.writes} writes acknowledged; slowest return ${(slowestMs / 1000).toFixed(1)} s`;
  return { seed, tries: rounds * parts.length, figure, failures: findings.failures };
}

/** Resolves when what is written from now on is acknowledged and its event has had its effect, with the ms that took. */
async function untilItWorks(writers: Writers, consumer: DemoConsumer, org_id: string): Promise<number> {
  const since = performance.now();
  const story = await writers.story();
  await eventually(async () => {
    if (story && !(await consumer.heardOf(org_id, story.project.id))) throw new Error('an event is on its way');
  }, settledWithinMs);
  return performance.now() - since;
}
