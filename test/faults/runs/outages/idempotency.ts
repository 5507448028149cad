import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { agency, eventually } from '../../../harness/agency.ts';
import { Api } from '../../../harness/api.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';
import { listAll } from '../records/compare-records.ts';
import { attempt, RetryingCaller, type Write } from '../records/retrying-caller.ts';

const unlimited = 1_000_000;

/** A POST that creates a record with a unique name. `list` is the list that shows it. */
interface CreateRequest extends Write {
  readonly list: string;
  readonly name: string;
}

/** An agency that creates records of every kind through all gateways in turn. */
class Posts {
  static async of({ facts }: TestPlatform): Promise<Posts> {
    const { api } = await agency(facts, { rateLimit: unlimited });
    const email = `${randomUUID()}@example.test`;
    const { client } = (await api.post('/clients', { email })).expect(201).body;
    (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
    return new Posts(
      facts.origins.map((origin) => new Api(`${origin}/api/v1`, api.key)),
      email,
    );
  }

  readonly gateways: readonly Api[];
  readonly #email: string;
  #index = 0;

  constructor(gateways: readonly Api[], email: string) {
    this.gateways = gateways;
    this.#email = email;
  }

  gateway(index: number): Api {
    return this.gateways[index % this.gateways.length] as Api;
  }

  /** The next request, with or without an Idempotency-Key. */
  next(keyed: boolean): CreateRequest {
    const name = randomUUID();
    const kinds = [
      { list: 'plans', body: { name, price: 1 } },
      { list: 'templates', body: { name } },
      { list: 'projects', body: { name, client_email: this.#email } },
      { list: 'clients', body: { name, email: `${name}@example.test` } },
    ] as const;
    const { list, body } = kinds[this.#index++ % kinds.length] as (typeof kinds)[number];
    return { method: 'POST', path: `/${list}`, body, headers: keyed ? { 'idempotency-key': randomUUID() } : {}, list, name };
  }

  /** Checks that each of these requests created exactly one record. */
  async checkOnce(made: readonly CreateRequest[], findings: Findings): Promise<void> {
    for (const list of new Set(made.map((post) => post.list))) {
      const names = (await listAll(this.gateway(0), list)).map(({ name }) => name);
      for (const post of made.filter((each) => each.list === list)) {
        const count = names.filter((name) => name === post.name).length;
        findings.check(count === 1, `${JSON.stringify(post.headers)} ${post.path} ${post.name} created ${count} records`);
      }
    }
  }
}

const concurrentPosts = 50;
const batchSize = 20;
const maxWorkMs = 40;
const maxExtraRounds = 20;
const owners = ['clients-plans', 'projects-templates'];

interface Counts {
  readonly rounds: number;
  readonly seed?: number;
}

/** Sends equal POSTs concurrently over all gateways. They must create one record; each answer is that record or 409. */
export async function oneEffectOfConcurrentPosts(platform: TestPlatform, { rounds, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const posts = await Posts.of(platform);
  for (let round = 0; round < rounds; round++) {
    const post = posts.next(true);
    const answers = await Promise.all(Array.from({ length: concurrentPosts }, (_, index) => attempt(posts.gateway(index), post)));
    const made = answers.flatMap((answer) => (answer?.status === 201 ? [JSON.stringify(answer.body)] : []));
    const busy = answers.filter((answer) => answer?.body?.code === 'request_in_flight');
    // On a slow machine a call may run out of time.
    const late = answers.filter((answer) => answer?.status === 503 && answer.headers.has('retry-after'));
    findings.check(made.length > 0, `${post.path}: no answer returned the record`);
    findings.check(
      made.length + busy.length + late.length === concurrentPosts,
      `${post.path} was answered ${answers.map((answer) => answer?.status).join()}`,
    );
    findings.check(new Set(made).size <= 1, `${post.path}: different answers to one Idempotency-Key`);
    await posts.checkOnce([post], findings);
  }
  const figure = `${concurrentPosts} concurrent POSTs over ${posts.gateways.length} gateways: one record each`;
  return { seed, tries: rounds, figure, failures: findings.failures };
}

/** Kills the owning services in the middle of POSTs and repeats those that failed. Each must create one record. */
export async function oneEffectAcrossKills(platform: TestPlatform, { rounds, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const random = new Random(seed);
  const findings = new Findings();
  const posts = await Posts.of(platform);
  let [round, repeats] = [0, 0];
  // On a fast machine all POSTs may end before the kill. Such a round proves nothing and is repeated.
  for (; round < rounds || (repeats === 0 && round < rounds + maxExtraRounds); round++) {
    const batch = Array.from({ length: batchSize }, (_, index) => posts.next(index % 8 < 4));
    const first = batch.map((post, index) => attempt(posts.gateway(index), post));
    await pause(random.integerUpTo(maxWorkMs));
    await Promise.all(owners.map((owner) => platform.replace(owner, 'SIGKILL')));
    const answers = await Promise.all(first);
    const failed = batch.filter((_, index) => (answers[index]?.status ?? 500) >= 500);
    await repeat(posts, failed, findings);
    await posts.checkOnce(batch, findings);
    repeats += failed.length;
  }
  findings.check(repeats > 0, 'no kill hit a POST in flight');
  const figure = `${repeats} POSTs repeated after a kill: one record each`;
  return { seed, tries: round * batchSize, figure, failures: findings.failures };
}

/** Resets connections while keyless POSTs are in flight, then repeats them. Each must create one record. */
export async function oneEffectAcrossResets(platform: TestPlatform, { rounds, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const posts = await Posts.of(platform);
  for (let round = 0; round < rounds; round++) {
    const batch = Array.from({ length: batchSize }, () => posts.next(false));
    const callers = new AbortController();
    for (const owner of owners) platform.signal(owner, 'SIGSTOP');
    const [known, before] = [await countAdmitted(posts), await countAbandoned(platform)];
    const first = batch.map((post, index) => attempt(posts.gateway(index), post, callers.signal));
    let looks = 0;
    await eventually(async () => {
      looks++;
      if ((await countAdmitted(posts)) < known + batch.length + looks) throw new Error('a POST is not in flight yet');
    });
    callers.abort();
    await eventually(async () => {
      if ((await countAbandoned(platform)) < before + batch.length) throw new Error('a gateway has not noticed the reset yet');
    });
    // Two more answers prove that the gateway's event loop has cancelled the calls to the services.
    for (const _ of ['once', 'again']) await countAbandoned(platform);
    for (const owner of owners) platform.signal(owner, 'SIGCONT');
    findings.check(
      (await Promise.all(first)).every((answer) => answer === undefined),
      'a paused service answered',
    );
    await repeat(posts, batch, findings);
    await posts.checkOnce(batch, findings);
  }
  const tries = rounds * batchSize;
  return { seed, tries, figure: 'POSTs without a key, repeated after a reset: one record each', failures: findings.failures };
}

/** Requests whose callers disconnected before the answer (499), as counted by the gateways. */
async function countAbandoned(platform: TestPlatform): Promise<number> {
  const names = [...platform.platform.processes.keys()].filter((name) => name.startsWith('gateway'));
  const counts = await Promise.all(names.map((name) => platform.counterSum(name, /^http_request_duration_seconds_count{.*status="499"/)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The number of the agency's admitted requests, this one included, up to a constant. */
async function countAdmitted(posts: Posts): Promise<number> {
  const { headers } = (await posts.gateway(0).get('/nothing')).expect(404);
  return -Number(headers.get('x-ratelimit-remaining'));
}

/** Repeats each request with the same key and body through another gateway. */
async function repeat(posts: Posts, failed: readonly CreateRequest[], findings: Findings): Promise<void> {
  const answers = await Promise.all(failed.map((post, index) => new RetryingCaller(posts.gateway(index + 1)).untilAnswered(post)));
  for (const { status, body } of answers) findings.check(status === 201, `a repeat was answered ${status} ${JSON.stringify(body)}`);
}
