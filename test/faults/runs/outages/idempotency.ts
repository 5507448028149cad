import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../harness/agency.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { attempt, PatientCaller } from './patient-caller.ts';
import { type Making, Posts } from './posts.ts';
import { Random } from './random.ts';

const atOnce = 50;
const caughtAtWork = 20;
const mostMsOfWork = 40;
const mostRoundsMore = 20;
const owners = ['clients-plans', 'projects-templates'];

interface Counts {
  readonly rounds: number;
  readonly seed?: number;
}

/** Promise 3: equal POSTs at once over all gateways make one record; each is answered with it or with 409. */
export async function oneEffectOfMany(platform: TestPlatform, { rounds, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const posts = await Posts.of(platform);
  for (let round = 0; round < rounds; round++) {
    const post = posts.next(true);
    const answers = await Promise.all(Array.from({ length: atOnce }, (_, turn) => attempt(posts.door(turn), post)));
    const made = answers.flatMap((answer) => (answer?.status === 201 ? [JSON.stringify(answer.body)] : []));
    const busy = answers.filter((answer) => answer?.body?.code === 'request_in_flight');
    findings.check(made.length > 0, `${post.path}: nobody was told of the record`);
    findings.check(made.length + busy.length === atOnce, `${post.path} was answered ${answers.map((answer) => answer?.status).join()}`);
    findings.check(new Set(made).size <= 1, `${post.path}: different answers to one Idempotency-Key`);
    await posts.checkOnce([post], findings);
  }
  return {
    seed,
    tries: rounds,
    figure: `${atOnce} POSTs at once over ${posts.doors.length} gateways: one record each`,
    failures: findings.failures,
  };
}

/** Promise 3: the owning services are killed in the middle of POSTs; those that failed are repeated. */
export async function oneEffectAcrossKills(platform: TestPlatform, { rounds, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  const posts = await Posts.of(platform);
  let [round, repeats] = [0, 0];
  // Where a fast machine is through with all of them before the kill, that was no try.
  for (; round < rounds || (repeats === 0 && round < rounds + mostRoundsMore); round++) {
    const batch = Array.from({ length: caughtAtWork }, (_, turn) => posts.next(turn % 8 < 4));
    const first = batch.map((post, turn) => attempt(posts.door(turn), post));
    await pause(random.upTo(mostMsOfWork));
    await Promise.all(owners.map((owner) => platform.replace(owner, 'SIGKILL')));
    const answers = await Promise.all(first);
    const failed = batch.filter((_, turn) => (answers[turn]?.status ?? 500) >= 500);
    await repeat(posts, failed, findings);
    await posts.checkOnce(batch, findings);
    repeats += failed.length;
  }
  findings.check(repeats > 0, 'no kill met a POST at work');
  return {
    seed,
    tries: round * caughtAtWork,
    figure: `${repeats} POSTs repeated after a kill: one record each`,
    failures: findings.failures,
  };
}

/** Promise 3: connections are reset while the services have the POSTs in hand, none of which has a key; they are repeated. */
export async function oneEffectAcrossResets(platform: TestPlatform, { rounds, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const posts = await Posts.of(platform);
  for (let round = 0; round < rounds; round++) {
    const batch = Array.from({ length: caughtAtWork }, () => posts.next(false));
    const callers = new AbortController();
    for (const owner of owners) platform.signal(owner, 'SIGSTOP');
    const [known, before] = [await letIn(posts), await gaveUp(platform)];
    const first = batch.map((post, turn) => attempt(posts.door(turn), post, callers.signal));
    let looks = 0;
    await eventually(async () => {
      looks++;
      if ((await letIn(posts)) < known + batch.length + looks) throw new Error('a POST is not in hand');
    });
    callers.abort();
    await eventually(async () => {
      if ((await gaveUp(platform)) < before + batch.length) throw new Error('a gateway has not noticed the reset');
    });
    // A gateway that answers twice more has told the services of the resets: its event loop has gone round.
    for (const _ of ['once', 'again']) await gaveUp(platform);
    for (const owner of owners) platform.signal(owner, 'SIGCONT');
    findings.check(
      (await Promise.all(first)).every((answer) => answer === undefined),
      'a paused service has answered',
    );
    await repeat(posts, batch, findings);
    await posts.checkOnce(batch, findings);
  }
  const tries = rounds * caughtAtWork;
  return { seed, tries, figure: 'POSTs without a key, repeated after a reset: one record each', failures: findings.failures };
}

/** Requests whose callers went away before the answer, as the gateways counted them. */
async function gaveUp(platform: TestPlatform): Promise<number> {
  const names = [...platform.platform.processes.keys()].filter((name) => name.startsWith('gateway'));
  const counts = await Promise.all(names.map((name) => platform.counted(name, /^http_request_duration_seconds_count{.*status="499"/)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** How many requests of the agency the gateways have in hand or had, this one included, up to a constant. */
async function letIn(posts: Posts): Promise<number> {
  const { headers } = (await posts.door(0).get('/nothing')).expect(404);
  return -Number(headers.get('x-ratelimit-remaining'));
}

/** With the same key and body, through another gateway. */
async function repeat(posts: Posts, failed: readonly Making[], findings: Findings): Promise<void> {
  const answers = await Promise.all(failed.map((post, turn) => new PatientCaller(posts.door(turn + 1)).untilAnswered(post)));
  for (const { status, body } of answers) findings.check(status === 201, `a repeat was answered ${status} ${JSON.stringify(body)}`);
}
