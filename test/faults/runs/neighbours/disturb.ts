import { chooseSeed, type Outcome } from '../outcome.ts';
import { type Measured, measureBeside } from './live-beside.ts';
import { NeighbourPlatform } from './neighbour-platform.ts';
import type { Nuisance } from './nuisance.ts';
import { inOwnProcess } from './nuisance-process.ts';
import { measuredTable, unboundedTable } from './table.ts';

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
