import type { RequestBatch } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';

/** Resolves when the stream has stored the batch. A batch may be published twice: its id makes that safe. */
export type Publish = (batch: RequestBatch) => Promise<void>;

/** Batches that are not published yet, in order. */
export class BatchQueue {
  readonly #publish: Publish;
  readonly #batches: RequestBatch[] = [];
  #waiting = 0;
  #sending: Promise<void> | undefined;
  #isBlocked = false;

  constructor(publish: Publish) {
    this.#publish = publish;
  }

  /** Requests in the queue. */
  get waiting(): number {
    return this.#waiting;
  }

  /** True if the last publish failed. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  add(batch: RequestBatch): void {
    this.#batches.push(batch);
    this.#waiting += batch.requests.length;
  }

  /** Publishes until the queue is empty or a publish fails; the failed batch stays first in the queue. */
  async send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  /** One batch at a time, so that the log never crowds other messages out of the connection. */
  async #sendAll(): Promise<void> {
    for (let batch = this.#batches[0]; batch !== undefined; batch = this.#batches[0]) {
      try {
        await this.#publish(batch);
        this.#isBlocked = false;
      } catch (error) {
        if (!this.#isBlocked)
          logger.warn({ err: error, requests: this.#waiting }, 'request log batch not published; it is retried every second');
        this.#isBlocked = true;
        return;
      }
      this.#batches.shift();
      this.#waiting -= batch.requests.length;
    }
  }
}
