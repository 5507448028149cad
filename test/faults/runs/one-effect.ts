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
const inHandAfterMs = 500;
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
  let repeats = 0;
  for (let round = 0; round < rounds; round++) {
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
    tries: rounds * caughtAtWork,
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
    const first = batch.map((post, turn) => attempt(posts.door(turn), post, callers.signal));
    await pause(inHandAfterMs);
    const before = await gaveUp(platform);
    callers.abort();
    await eventually(async () => {
      if ((await gaveUp(platform)) < before + batch.length) throw new Error('a gateway has not noticed the reset');
    });
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

/** With the same key and body, through another gateway. */
async function repeat(posts: Posts, failed: readonly Making[], findings: Findings): Promise<void> {
  const answers = await Promise.all(failed.map((post, turn) => new PatientCaller(posts.door(turn + 1)).untilAnswered(post)));
  for (const { status, body } of answers) findings.check(status === 201, `a repeat was answered ${status} ${JSON.stringify(body)}`);
}
