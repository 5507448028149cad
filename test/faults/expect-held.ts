import type { Outcome } from './runs/outcome.ts';

/** Ends what hangs; no run is to be in time for it. */
export const faultsWithinMs = 900_000;

/** Prints what a run came to; fails with what did not hold. */
export function expectHeld({ seed, tries, figure, failures }: Outcome): void {
  process.stdout.write(`${expect.getState().currentTestName}: seed ${seed}, ${tries} tries: ${figure}\n`);
  expect(failures).toEqual([]);
}
