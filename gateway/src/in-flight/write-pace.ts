import { AppError } from '@webkiln/contract';
import { Pace } from '@webkiln/runtime';
import { countRefusal } from './metrics.ts';

/** So much of what an organization may send in a window it may write in a second. */
const perSecondShare = 1 / 30;
/** Whoever writes little never waits. */
const minBurst = 20;

/**
 * Spreads the writes of each organization: a thirtieth of its requests of a window at once, then as many a second. A
 * write takes many times the work of a read, and a minute's writes in a few seconds would take all processors.
 */
export class WritePace {
  readonly #pace: Pace;

  constructor(maxWaitMs: number) {
    const refusal = () => {
      countRefusal('writes of an organization', 'too_many_in_flight');
      return new AppError('too_many_in_flight');
    };
    this.#pace = new Pace({ maxWaitMs, refusal });
  }

  /** Waits for a turn. `requests` is what the organization may send in a window. Throws `too_many_in_flight`. */
  turn(org_id: string, requests: number): Promise<void> {
    const perSecond = requests * perSecondShare;
    return this.#pace.wait(org_id, { perSecond, burst: Math.max(minBurst, perSecond) });
  }
}
