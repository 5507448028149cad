import type { Life } from './good-neighbour.ts';
import { kinds, type Latencies } from './latencies.ts';
import type { NeighbourPlatform } from './neighbour-platform.ts';
import { type Nuisance, startHarm } from './nuisance.ts';
import { ProcessMemory } from './process-memory.ts';

const maxSlowdown = 2;
/** Below this nobody notices. The hostile client shares the platform's cores, so that quick answers double anyway. */
const unnoticedMs = 25;
const maxGrowthMb = 100;
const maxKeptMb = 60;
const backWithinMs = 60_000;

/** What one nuisance did to its neighbour. */
export interface Beside {
  readonly life: Life;
  /** What the nuisance did, as text for people. */
  readonly did: string;
  readonly failures: readonly string[];
}

/** A nuisance's times and memory, measured where nothing else runs on the machine. */
export interface Measured extends Beside {
  readonly alone: Latencies;
  /** The process that grew most. */
  readonly grown: { readonly name: string; readonly mb: number };
  /** When every process had about its memory of before, in seconds after the end; undefined if one did not. */
  readonly backAfterS: number | undefined;
}

/** The neighbour lives beside a nuisance: all of it is served and arrives. */
export async function liveBeside({ neighbour, scene }: NeighbourPlatform, nuisance: Nuisance, ms: number): Promise<Beside> {
  const running = await startHarm(nuisance, scene);
  let did = '';
  const life = await neighbour.live(ms, async () => {
    did = await running.stop();
  });
  return { life, did, failures: life.failures };
}

/** The same with its latencies, compared with those of living alone, and the memory of each process. */
export async function measureBeside(place: NeighbourPlatform, nuisance: Nuisance, alone: Latencies, ms: number): Promise<Measured> {
  await nuisance.prepare?.(place.scene);
  const memory = new ProcessMemory(place.platform);
  const beside = await liveBeside(place, nuisance, ms);
  const grown = memory.stop();
  const failures = [...beside.failures, ...slowdowns(alone, beside.life.latencies)];
  if (grown.mb > maxGrowthMb) failures.push(`${grown.name} has grown by ${grown.mb} MB`);
  const backAfterMs = await memory.whenBack({ maxMb: maxKeptMb, timeoutMs: backWithinMs }).catch((error) => {
    failures.push(error.message);
    return undefined;
  });
  return { ...beside, failures, alone, grown, backAfterS: backAfterMs === undefined ? undefined : Math.ceil(backAfterMs / 1000) };
}

function slowdowns(alone: Latencies, beside: Latencies): string[] {
  const isSlow = (kind: keyof Latencies) => !(beside[kind] <= maxSlowdown * Math.max(alone[kind], unnoticedMs));
  return kinds.filter(isSlow).map((kind) => `p99 of ${kind} is ${beside[kind].toFixed(0)} ms, ${alone[kind].toFixed(0)} ms alone`);
}
