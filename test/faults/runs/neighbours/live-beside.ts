import type { TestPlatform } from '../../../harness/test-platform.ts';
import { Findings, type Outcome } from '../outcome.ts';
import { GoodNeighbour } from './good-neighbour.ts';
import { type Latencies, medians } from './latencies.ts';
import type { Nuisance } from './nuisance.ts';
import { ProcessMemory } from './process-memory.ts';

const maxSlowdown = 2;
/** Below this nobody notices. The hostile client shares the platform's cores, so that quick answers double anyway. */
const unnoticedMs = 25;
const maxGrowthMb = 100;
const maxKeptMb = 60;
const backWithinMs = 60_000;

interface Counts {
  /** Rounds of living alone and then beside the nuisance. */
  readonly rounds: number;
  readonly msEach: number;
  /** Checks times and memory besides what is served and arrives: only where nothing else runs on the machine. */
  readonly measured: boolean;
}

/** A well-behaved agency lives alternately alone and beside a nuisance. All of it is served, and about as quickly. */
export async function liveBeside(platform: TestPlatform, nuisance: Nuisance, { rounds, msEach, measured }: Counts): Promise<Outcome> {
  const findings = new Findings();
  await using neighbour = await GoodNeighbour.start(platform.facts, findings);
  await nuisance.prepare?.(platform);
  if (measured) await neighbour.live(msEach);
  const memory = new ProcessMemory(platform);
  const [alone, beside]: [Latencies[], Latencies[]] = [[], []];
  const did: string[] = [];
  for (let round = 0; round < rounds; round++) {
    if (measured) alone.push(await neighbour.live(msEach));
    const running = await nuisance.start(platform);
    beside.push(await neighbour.live(msEach));
    did.push(await running.stop());
    findings.check(running.attempts > 0, `${nuisance.name} did nothing`);
  }
  const { name, mb } = memory.stop();
  const arrived = `${neighbour.served} invitations and forms arrived; ${did.at(-1)}`;
  const outcome = (figure: string): Outcome => ({ seed: 0, tries: neighbour.served, figure, failures: findings.failures });
  if (!measured) return outcome(arrived);
  findings.check(mb <= maxGrowthMb, `${name} has grown by ${mb} MB`);
  await memory.whenBack({ maxMb: maxKeptMb, timeoutMs: backWithinMs }).catch((error) => findings.check(false, error.message));
  const compared = compare(medians(alone), medians(beside), findings);
  return outcome(`${compared}; ${name} +${mb} MB; ${arrived}`);
}

function compare(alone: Latencies, beside: Latencies, findings: Findings): string {
  const kinds = ['api', 'page', 'webhook'] as const;
  for (const kind of kinds) {
    const allowed = maxSlowdown * Math.max(alone[kind], unnoticedMs);
    findings.check(beside[kind] <= allowed, `p99 of ${kind} is ${beside[kind].toFixed(0)} ms, ${alone[kind].toFixed(0)} ms alone`);
  }
  return `p99 beside / alone: ${kinds.map((kind) => `${kind} ${beside[kind].toFixed(0)} / ${alone[kind].toFixed(0)} ms`).join(', ')}`;
}
