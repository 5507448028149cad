import type { Sent } from '../attempts/sender.ts';

const latencyWeight = 0.2;

/** How many requests an endpoint may have in flight, and how long one takes, as its answers show. */
export class EndpointCapacity {
  readonly #maxSlots: number;
  #slots: number;
  #latencyMs = 0;

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots;
    this.#slots = maxSlots;
  }

  get slots(): number {
    return this.#slots;
  }

  /**
   * A timeout halves the slots, down to one; any other answer adds one. So hanging endpoints cannot use up all slots
   * of the process.
   */
  record({ attempt, timedOut }: Sent): void {
    this.#latencyMs += latencyWeight * (attempt.latency_ms - this.#latencyMs);
    this.#slots = timedOut ? Math.max(1, Math.floor(this.#slots / 2)) : Math.min(this.#maxSlots, this.#slots + 1);
  }

  /** The moving average of the answers, or `oldestMs`, the age of the oldest request in flight, if that is more. */
  latencyMs(oldestMs: number): number {
    return Math.max(this.#latencyMs, oldestMs);
  }

  /**
   * How many attempts may wait so that the last one begins within `holdMs` (Little's law). For a hanging endpoint this
   * approaches 0.
   */
  maxWaiting(holdMs: number, oldestMs: number): number {
    return (this.#slots * holdMs) / this.latencyMs(oldestMs);
  }
}
