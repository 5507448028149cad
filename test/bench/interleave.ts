import { type LoadOptions, type Measurement, measure, type Target } from './rest/load.ts';

const warmUpSeconds = 2;

interface Options extends LoadOptions {
  readonly rounds: number;
  readonly log: (text: string) => void;
}

/** Warms up the targets, then loads each in turn, round by round, so that drift of the machine affects all alike. */
export async function interleave(targets: readonly Target[], { rounds, log, ...load }: Options): Promise<Map<string, Measurement[]>> {
  log('warming up …');
  for (const target of targets) await measure(target, { ...load, seconds: warmUpSeconds });
  const results = new Map<string, Measurement[]>(targets.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    log(`round ${round} of ${rounds} …`);
    for (const target of targets) results.get(target.name)?.push(await measure(target, load));
  }
  return results;
}
