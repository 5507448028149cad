import type { Outcome } from './runs/outcome.ts';

/** Prints what a run came to; fails with what did not hold. */
export function expectHeld({ seed, tries, figure, failures }: Outcome): void {
  process.stdout.write(`${expect.getState().currentTestName}: seed ${seed}, ${tries} tries: ${figure}\n`);
  expect(failures).toEqual([]);
}
