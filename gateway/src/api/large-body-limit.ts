import { AppError } from '@webkiln/contract';

interface Options {
  readonly concurrency: number;
  /** A request waits this long, its body unread, before it is refused. */
  readonly maxWaitMs: number;
}

/** A semaphore with a wait limit: memory stays flat, however many large bodies arrive at once. */
export class LargeBodyLimit {
  #free: number;
  readonly #maxWaitMs: number;
  readonly #waiting = new Set<() => void>();

  constructor({ concurrency, maxWaitMs }: Options) {
    this.#free = concurrency;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Runs `work` when a slot is free. Throws `overloaded` after `maxWaitMs` without one. */
  async run(work: () => Promise<void>): Promise<void> {
    await this.#acquire();
    try {
      await work();
    } finally {
      this.#release();
    }
  }

  async #acquire(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(admit);
        reject(new AppError('overloaded'));
      }, this.#maxWaitMs);
      this.#waiting.add(admit);
    });
  }

  /** Passes the slot to the request that waited longest. */
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
