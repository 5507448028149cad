import { setTimeout as pause } from 'node:timers/promises';
import type { Project } from '@webkiln/contract';
import { processes } from '@webkiln/messages';
import { ModelServer } from '../../../../services/embed/src/testing/model-server.ts';
import { scriptedProviders } from '../../../../services/embed/src/testing/turn-of.ts';
import { makeProject } from '../../../contract/fixtures.ts';
import { agency } from '../../../harness/agency.ts';
import { owner } from '../../../harness/person.ts';
import { startPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';
import { listAll } from '../records/compare-records.ts';
import { FollowedTurns } from './followed-turns.ts';
import { anyRequest, makeLoadTargets } from './mixed-load.ts';
import { type LoadedPlatform, ReadyGateways } from './ready-gateways.ts';
import { SteadyLoad } from './steady-load.ts';

const unlimited = 1_000_000;
/** Duration of the load before the first restart and after each. */
const betweenMs = 1000;

const defaultConcurrentTurns = 4;

export const oneOfEachKind = Object.keys(processes);
const all = oneOfEachKind.flatMap((name) => [name, `${name}-2`]);

interface Counts {
  readonly rounds: number;
  /** The processes that are restarted; by default all. */
  readonly restarted?: readonly string[];
  readonly seed?: number;
  /** The load; default 100. */
  readonly requestsPerSecond?: number;
  /** Turns that are followed at the same time; 4 by default. */
  readonly concurrentTurns?: number;
}

export interface RestartedPlatform extends LoadedPlatform {
  /** Ends a process; resolves when its replacement is ready. */
  replace(name: string, signal: 'SIGTERM'): Promise<void>;
}

/** A model that writes a page and then takes seconds to say so. Its `env` is for the platform that uses it. */
export class SlowModel implements AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  readonly #model: ModelServer;

  private constructor(model: ModelServer) {
    this.#model = model;
    this.env = {
      REQUEST_TIMEOUT_MS: '60000',
      MODEL_PROVIDERS: scriptedProviders(model.url),
      SIGN_UP_CREDITS: '1000000',
      SESSION_RATE_LIMIT: String(unlimited),
    };
  }

  static async start(): Promise<SlowModel> {
    const model = await ModelServer.start();
    const page = '<!doctype html><html lang="en"><head><title>Bakery</title></head><body><h1>Bakery</h1></body></html>';
    const write = { calls: [{ name: 'write_file', input: { path: 'index.html', content: page } }] };
    const answer = { text: 'Your bakery has a page with its opening hours. '.repeat(10), pauseMs: 200 };
    model.play(({ text }) => (text.includes('"role":"tool"') ? answer : write));
    return new SlowModel(model);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model[Symbol.asyncDispose]();
  }
}

/** Restarts the processes of a platform of its own. */
export async function restartUnderLoad(counts: Counts): Promise<Outcome> {
  await using model = await SlowModel.start();
  await using platform = await startPlatform({ gateways: 2, replicas: 2, env: model.env });
  return await restartEach(platform, counts);
}

/**
 * Sends SIGTERM to one process after another under a steady load over kept connections, while turns are followed.
 * Each process has a second replica.
 */
export async function restartEach(
  platform: RestartedPlatform,
  { rounds, restarted = all, seed = chooseSeed(), requestsPerSecond: perSecond = 100, concurrentTurns = defaultConcurrentTurns }: Counts,
): Promise<Outcome> {
  const findings = new Findings();
  const random = new Random(seed);
  const { api } = await agency(platform.facts, { rateLimit: unlimited });
  const targets = await makeLoadTargets(api);
  const ada = await owner({ platform: platform.facts });
  const projects: Project[] = [];
  while (projects.length < concurrentTurns) projects.push(await makeProject(ada.api));
  await using gateways = new ReadyGateways(platform);
  const turns = new FollowedTurns(gateways, ada, projects);
  const load = new SteadyLoad(gateways, {
    key: api.key ?? '',
    perSecond,
    next: () => anyRequest(random, targets),
  });
  await pause(betweenMs);
  for (let round = 0; round < rounds; round++) {
    for (const name of restarted) {
      const from = load.samples.length;
      await platform.replace(name, 'SIGTERM');
      await pause(betweenMs);
      for (const { request, outcome } of load.samples.slice(from)) {
        findings.check(Number(outcome) < 300, `${name}: ${request}: ${outcome}`);
      }
    }
  }
  await Promise.all([load.finish(), turns.finish()]);
  for (const failure of turns.failures) findings.check(false, failure);
  const made = load.samples.filter(({ outcome }) => outcome === 201).length;
  const stored = (await listAll(api, 'templates')).length;
  findings.check(stored === made, `${made} templates were acknowledged, ${stored} are stored`);
  const failed = load.samples.filter(({ outcome }) => !(Number(outcome) < 300)).length;
  const ofTurns = `${turns.turns} turns, ${turns.continued} streams continued at another gateway, ${turns.failures.length} turns lost a part`;
  const figure = `${load.samples.length} requests, ${failed} reset, refused or answered 5xx; ${ofTurns}`;
  return { seed, tries: rounds * restarted.length, figure, failures: findings.failures };
}
