import type { Outcome } from './runs/outcome.ts';

/** Ends a run that hangs. It is not a performance bound. */
export const faultTimeoutMs = 900_000;

/** Prints the outcome of a run and fails with its list of failures. */
export function expectHeld({ seed, tries, figure, failures }: Outcome): void {
  process.stdout.write(`${expect.getState().currentTestName}: seed ${seed}, ${tries} tries: ${figure}\n`);
  expect(failures).toEqual([]);
}
