import type { EndpointQueue } from './endpoint-queue.ts';

const latencyWeight = 0.2;
/** A claimed delivery waits about this long for a slot. */
const claimAheadMs = 1_000;

/** A maximum of concurrent attempts, and the queues that wait for fewer, in the order of their turns. */
export class SlotBound {
  readonly name: 'organization' | 'host' | 'process';
  readonly waiting = new Set<EndpointQueue>();
  readonly #max: number;
  #taken = 0;
  /** The moving average of how long an attempt takes. */
  #latencyMs = 0;

  constructor(name: SlotBound['name'], max: number) {
    this.name = name;
    this.#max = max;
  }

  get free(): number {
    return this.#max - this.#taken;
  }

  get isUnused(): boolean {
    return this.#taken === 0 && this.waiting.size === 0;
  }

  take(): void {
    this.#taken++;
  }

  release(tookMs: number): void {
    this.#taken--;
    this.#latencyMs += latencyWeight * (tookMs - this.#latencyMs);
  }

  /** How many deliveries one of the waiting queues may claim so that they begin soon (Little's law). */
  get maxClaim(): number {
    if (this.waiting.size === 0) return Number.POSITIVE_INFINITY;
    return Math.max(1, this.free, Math.floor((this.#max * claimAheadMs) / Math.max(1, this.#latencyMs) / (this.waiting.size + 1)));
  }

  /** As many waiting queues as there are free slots; they wait no longer. */
  *next(): Generator<EndpointQueue> {
    for (let { free } = this; free > 0 && this.waiting.size > 0; ) {
      const [queue] = this.waiting;
      if (queue === undefined) return;
      this.waiting.delete(queue);
      if (!queue.canStart && !queue.canClaim(performance.now())) continue;
      free--;
      yield queue;
    }
  }
}
