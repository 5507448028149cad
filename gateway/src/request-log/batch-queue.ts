import type { RequestBatch } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';

/** Resolves when a batch is kept for good; one that was may come again. */
export type Publish = (batch: RequestBatch) => Promise<void>;

/** What was gathered and is not kept yet, in order. */
export class BatchQueue {
  readonly #publish: Publish;
  readonly #batches: RequestBatch[] = [];
  #waiting = 0;
  #sending: Promise<void> | undefined;
  #isAway = false;

  constructor(publish: Publish) {
    this.#publish = publish;
  }

  /** How many requests are in it. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether the last batch could not be kept. */
  get isAway(): boolean {
    return this.#isAway;
  }

  add(batch: RequestBatch): void {
    this.#batches.push(batch);
    this.#waiting += batch.requests.length;
  }

  /** Resolves when all is kept, or the first batch that cannot be is left for the next time. */
  async send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  /** One after the other, so that little of the connection is theirs. */
  async #sendAll(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      try {
        await this.#publish(batch);
        this.#isAway = false;
      } catch (error) {
        if (!this.#isAway) logger.warn({ err: error, requests: this.#waiting }, 'the log of requests waits');
        this.#isAway = true;
        return;
      }
      this.#batches.shift();
      this.#waiting -= batch.requests.length;
    }
  }
}
