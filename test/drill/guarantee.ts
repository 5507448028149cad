import type { Outcome } from '../faults/runs/outcome.ts';
import type { TestPlatformOptions } from '../harness/launch-platform.ts';
import { startPlatform, type TestPlatform } from '../harness/test-platform.ts';

/** A guarantee of the platform and the full run that tests it. */
export interface Guarantee {
  readonly name: string;
  readonly guarantee: string;
  /** `scaled(n)` multiplies by --scale; it is at least 1. */
  readonly run: (scaled: Scaled, options: NeighbourOptions) => Promise<Outcome>;
}

/** How to run `neighbours`. */
export interface NeighbourOptions {
  /** The names of the nuisances; all if there is none. */
  readonly nuisance: readonly string[];
  /** How long each one lasts. */
  readonly seconds: number;
  /** Switches the bound of each nuisance off, and expects harm. */
  readonly withoutBounds: boolean;
}

type Scaled = (count: number) => number;

export const unlimited = { RATE_LIMIT: '1000000', QUOTA_EVENTS: '1000000' };

/** Runs on its own platform with these options. */
export const on =
  (options: TestPlatformOptions, run: (platform: TestPlatform, scaled: Scaled) => Promise<Outcome>): Guarantee['run'] =>
  async (scaled) => {
    await using platform = await startPlatform(options);
    return await run(platform, scaled);
  };
