import { eventually } from '../../../harness/agency.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';

/** Hostile traffic comes from this address: bounds per network must not hit the well-behaved neighbour. */
export const hostileAddress = '127.0.0.66';

/** Where a nuisance happens, as plain data. */
export interface Scene {
  readonly facts: PlatformFacts;
  /** What the platform lets each tenant ask for. */
  readonly requestsPerMinute: number;
  /** The email address of the neighbour's owner. */
  readonly victim: string;
}

/** What a hostile tenant or visitor does to the platform, for as long as it is let. */
export interface Nuisance {
  /** The name on the command line and in the table, such as `slow-posts`. */
  readonly name: string;
  /** Completes "a neighbour loses nothing while …". */
  readonly what: string;
  /** Settings that it needs to be possible on one machine. They must not switch off the bound that contains it. */
  readonly settings?: NodeJS.ProcessEnv;
  /** The settings that switch its bound off; or why no setting can. */
  readonly unbounded: NodeJS.ProcessEnv | string;
  /** What takes memory before the harm begins, such as publishing what is read later. */
  prepare?(scene: Scene): Promise<void>;
  /** Prepares its own organization and the like, then keeps going at full rate until it is stopped. */
  start(scene: Scene): Promise<RunningNuisance>;
}

export interface RunningNuisance {
  /** Ends it and all that it holds open. Returns what it did, such as "812 posts held open, 740 refused". */
  stop(): Promise<string>;
  /** How often it has done its harm so far. */
  readonly attempts: number;
}

/** Starts it, and resolves when it has done its harm once: on a busy machine the first answer takes seconds. */
export async function startHarm(nuisance: Nuisance, scene: Scene): Promise<RunningNuisance> {
  const running = await nuisance.start(scene);
  await eventually(() => {
    if (running.attempts === 0) throw new Error(`${nuisance.name} has done nothing yet`);
  });
  return running;
}
