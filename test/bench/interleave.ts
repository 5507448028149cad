import { type LoadOptions, type Measurement, measure, type Target } from './rest/load.ts';

const warmUpSeconds = 2;

interface Options extends LoadOptions {
  readonly rounds: number;
  readonly say: (text: string) => void;
}

/** Warms the targets up, then puts each under load in turn, round by round, so that the machine's drift meets all alike. */
export async function interleave(targets: readonly Target[], { rounds, say, ...load }: Options): Promise<Map<string, Measurement[]>> {
  say('warming up …');
  for (const target of targets) await measure(target, { ...load, seconds: warmUpSeconds });
  const results = new Map<string, Measurement[]>(targets.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds} …`);
    for (const target of targets) results.get(target.name)?.push(await measure(target, load));
  }
  return results;
}
