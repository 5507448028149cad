import { gauge } from '@webkiln/runtime';

/** Longer than an idle worker waits until it looks at the stream again. */
const lookIntervalMs = 15_000;

const lags = new Set<PartitionLag>();

/** Shown under /metrics, by partition. */
export const viewsBehind = gauge({
  name: 'webkiln_views_behind_seconds',
  help: 'Of each partition that this process counts: for how long accepted views have waited, as far as is known; 0 while none does',
  labelNames: ['partition'],
  collect() {
    this.reset();
    for (const { partition, seconds } of lags) this.set({ partition }, seconds);
  },
});

/** How far the worker of a partition is behind. It grows while the worker stands still, whatever it waits for. */
export class PartitionLag {
  readonly partition: number;
  /** Views accepted until then are counted; in milliseconds since 1970. */
  #countedUntil = Date.now();
  #areWaiting = false;

  constructor(partition: number) {
    this.partition = partition;
    lags.add(this);
  }

  get seconds(): number {
    const behindMs = Date.now() - this.#countedUntil;
    return this.#areWaiting || behindMs > lookIntervalMs ? behindMs / 1_000 : 0;
  }

  /** The worker has views that it has not counted yet. */
  waits(): void {
    this.#areWaiting = true;
  }

  /** Views accepted until `at` are counted; `waiting` messages come after them. */
  counted(at: number, waiting: number): void {
    this.#countedUntil = waiting === 0 ? Date.now() : at;
    this.#areWaiting = waiting > 0;
  }

  /** Ends the metric: another process counts the partition. */
  end(): void {
    lags.delete(this);
  }
}
