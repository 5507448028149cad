import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { chooseSeed, type Outcome } from '../outcome.ts';
import { kinds } from './latencies.ts';
import { type Measured, measureBeside } from './live-beside.ts';
import { NeighbourPlatform } from './neighbour-platform.ts';
import type { Nuisance, RunningNuisance, Scene } from './nuisance.ts';
import type { Done, Step } from './nuisance-messages.ts';

/**
 * The nuisance in a process of its own with the lowest priority, as on a stranger's machine: it takes as much of the
 * platform as it gets, and neither the neighbour's event loop nor a core that the platform wants.
 */
function inOwnProcess(nuisance: Nuisance): Nuisance {
  const child = new NuisanceProcess(nuisance.name);
  return {
    ...nuisance,
    prepare: async (scene) => void (await child.take({ do: 'prepare', scene })),
    start: async (scene) => {
      await child.start(scene);
      return child;
    },
  };
}

class NuisanceProcess implements RunningNuisance {
  /** How often it had done its harm when it had started. */
  attempts = 0;
  readonly #name: string;
  #child: ChildProcess | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  async start(scene: Scene): Promise<void> {
    const { attempts = 0 } = await this.take({ do: 'start', scene });
    this.attempts = attempts;
  }

  async stop(): Promise<string> {
    const { did = '' } = await this.take({ do: 'stop' });
    this.#child?.disconnect();
    return did;
  }

  async take(step: Step): Promise<Done> {
    this.#child ??= this.#fork();
    const answer = once(this.#child, 'message');
    this.#child.send(step);
    const [done] = (await Promise.race([answer, this.#exited(this.#child)])) as [Done];
    if (done.error !== undefined) throw new Error(`${this.#name}: ${done.error}`);
    return done;
  }

  #fork(): ChildProcess {
    const child = fork(path.join(import.meta.dirname, 'run-nuisance.ts'), [this.#name], { execArgv: [], detached: true });
    giveLowestPriority(child.pid ?? 0);
    return child;
  }

  async #exited(child: ChildProcess): Promise<never> {
    const [code] = await once(child, 'exit');
    throw new Error(`the process of ${this.#name} ended with ${code}`);
  }
}

/** Linux with automatic groups weighs sessions, and processes only within them: proc_sched_autogroup(5). */
function giveLowestPriority(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  const group = `/proc/${pid}/autogroup`;
  if (existsSync(group)) writeFileSync(group, String(constants.priority.PRIORITY_LOW));
}

const head = [
  `| a neighbour lives while … | it did | ${kinds.map((kind) => `p99 ${kind}, ms`).join(' | ')} | most grown | back after | webhooks, mails, pages, sign-ins |`,
  `|${'---|'.repeat(kinds.length + 5)}`,
];

/** A Markdown table of what nuisances did to a neighbour. Times are "beside (alone, ratio)". */
const measuredTable = (rows: readonly (readonly [Nuisance, Measured])[]): string[] => [...head, ...rows.map(rowOf)];

function rowOf([{ name, what }, { alone, life, did, grown, backAfterS }]: readonly [Nuisance, Measured]): string {
  const times = kinds.map((kind) => {
    const [before, beside] = [alone[kind], life.latencies[kind]];
    return `${beside.toFixed(0)} (${before.toFixed(0)}, ${(beside / before).toFixed(1)}×)`;
  });
  const back = backAfterS === undefined ? 'NOT within 60 s' : `${backAfterS} s`;
  return `| ${what} (\`${name}\`) | ${did} | ${times.join(' | ')} | ${grown.name} +${grown.mb} MB | ${back} | ${life.arrived} |`;
}

/** A Markdown table of which nuisances hurt once their bounds are switched off. */
const unboundedTable = (rows: readonly (readonly [Nuisance, readonly string[] | undefined])[]): string[] => [
  '| nuisance | its bound is switched off by | fails without its bound | how |',
  '|---|---|---|---|',
  ...rows.map(([{ name, unbounded }, failures]) => {
    const settings = typeof unbounded === 'string' ? unbounded : Object.keys(unbounded).join(', ');
    const fails = failures === undefined ? 'no setting' : failures.length > 0 ? 'yes' : 'no';
    return `| ${name} | ${settings} | ${fails} | ${failures?.slice(0, 2).join('; ') ?? ''} |`;
  }),
];

/** New processes grow by their own heaps, whatever is done to them. */
const warmUpMs = 20_000;

interface Counts {
  /** How long the neighbour lives alone, and then beside each nuisance. */
  readonly msEach: number;
}

const outcomeOf = (rows: number, held: number, failures: readonly string[], table: readonly string[]): Outcome => ({
  seed: chooseSeed(),
  tries: rows,
  figure: `${held} of ${rows} nuisances, see their table`,
  failures,
  table,
});

/** A well-behaved agency lives alone and then beside one nuisance after the other, on one platform. */
export async function disturb(chosen: readonly Nuisance[], { msEach }: Counts): Promise<Outcome> {
  await using place = await NeighbourPlatform.start(chosen);
  await place.neighbour.live(warmUpMs);
  const { latencies: alone } = await place.neighbour.live(msEach);
  const rows: (readonly [Nuisance, Measured])[] = [];
  for (const nuisance of chosen) {
    rows.push([nuisance, await measureBeside(place, inOwnProcess(nuisance), alone, msEach)]);
    console.error(measuredTable(rows).at(-1));
  }
  const failures = rows.flatMap(([{ name }, row]) => row.failures.map((failure) => `${name}: ${failure}`));
  return outcomeOf(rows.length, rows.filter(([, row]) => row.failures.length === 0).length, failures, measuredTable(rows));
}

/** Each nuisance on a platform whose settings switch its bound off must hurt the neighbour. */
export async function disturbWithoutBounds(chosen: readonly Nuisance[], { msEach }: Counts): Promise<Outcome> {
  const rows: (readonly [Nuisance, readonly string[] | undefined])[] = [];
  for (const nuisance of chosen) {
    rows.push([nuisance, typeof nuisance.unbounded === 'string' ? undefined : await harmOf(nuisance, nuisance.unbounded, msEach)]);
    console.error(unboundedTable(rows).at(-1));
  }
  const harmless = rows.filter(([, failures]) => failures?.length === 0).map(([{ name }]) => `${name}: did no harm without its bound`);
  return outcomeOf(rows.length, rows.length - harmless.length, harmless, unboundedTable(rows));
}

/** What a nuisance broke; a platform that cannot even be measured any more is broken. */
async function harmOf(nuisance: Nuisance, unbounded: NodeJS.ProcessEnv, msEach: number): Promise<readonly string[]> {
  await using place = await NeighbourPlatform.start([nuisance], unbounded);
  await place.neighbour.live(warmUpMs);
  const { latencies: alone } = await place.neighbour.live(warmUpMs);
  // Awaited here: the platform must not end before.
  return await measureBeside(place, inOwnProcess(nuisance), alone, msEach).then(
    ({ failures }) => failures,
    (error) => [String(error)],
  );
}
