import type { Outcome } from '../faults/runs/outcome.ts';
import { startPlatform, type TestPlatform, type TestPlatformOptions } from '../harness/test-platform.ts';

/** Something the platform promises, and how it is tried in full. */
export interface Promised {
  readonly name: string;
  readonly promise: string;
  /** `scaled(n)` is n times the scale that was asked for, at least 1. */
  readonly run: (scaled: Scaled) => Promise<Outcome>;
}

type Scaled = (count: number) => number;

export const unlimited = { RATE_LIMIT: '1000000' };

/** On a platform of its own, with these options. */
export const on =
  (options: TestPlatformOptions, run: (platform: TestPlatform, scaled: Scaled) => Promise<Outcome>): Promised['run'] =>
  async (scaled) => {
    await using platform = await startPlatform(options);
    return await run(platform, scaled);
  };
