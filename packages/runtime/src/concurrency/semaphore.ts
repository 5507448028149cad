interface SemaphoreOptions {
  /** How many permits can be held at once. One permit is a task, a byte or another unit. */
  readonly permits: number;
  /** How many tasks may wait; default: no limit. */
  readonly maxWaiting?: number;
  /** How long a task may wait; default: no limit. */
  readonly maxWaitMs?: number;
  /** The error of a task that may not wait, or not longer. */
  readonly refusal?: () => Error;
}

interface WaitingTask {
  readonly permits: number;
  readonly start: () => void;
}

/** Limits the work in flight. Tasks wait in order, so a small task never overtakes a large one. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting = new Set<WaitingTask>();
  #free: number;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  /** Permits that no task holds. */
  get free(): number {
    return this.#free;
  }

  /**
   * Runs `work` while it holds `permits`, at once if they are free. Work that needs more than all permits runs alone.
   * Throws `refusal()` if it would wait behind `maxWaiting` tasks or has waited for `maxWaitMs`.
   */
  async run<T>(work: () => Promise<T>, permits = 1): Promise<T> {
    const held = Math.min(permits, this.#options.permits);
    if (this.#waiting.size === 0 && held <= this.#free) this.#free -= held;
    else await this.#wait(held);
    try {
      return await work();
    } finally {
      this.#free += held;
      this.#admit();
    }
  }

  /** Resolves when so many permits are free. */
  whenFree(permits: number): Promise<void> {
    return this.run(async () => undefined, permits);
  }

  #wait(permits: number): Promise<void> {
    const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitMs, refusal = () => new Error('too many tasks wait') } = this.#options;
    if (this.#waiting.size >= maxWaiting) throw refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const task = { permits, start: resolve };
    this.#waiting.add(task);
    if (maxWaitMs === undefined) return promise;
    const refuse = () => {
      this.#waiting.delete(task);
      reject(refusal());
      this.#admit();
    };
    const timer = setTimeout(refuse, maxWaitMs);
    return promise.finally(() => clearTimeout(timer));
  }

  #admit(): void {
    for (const task of this.#waiting) {
      if (task.permits > this.#free) return;
      this.#waiting.delete(task);
      this.#free -= task.permits;
      task.start();
    }
  }
}

/** Runs the work of one key one after another; the work of other keys runs meanwhile. */
export class KeyedMutex {
  readonly #latest = new Map<string, Promise<void>>();

  /** Runs `work` after all earlier work for the key has ended. `isAwaited` is true while later work for it waits. */
  async run<R>(key: string, work: (isAwaited: () => boolean) => Promise<R>): Promise<R> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const before = this.#latest.get(key);
    this.#latest.set(key, ended);
    try {
      await before;
      return await work(() => this.#latest.get(key) !== ended);
    } finally {
      if (this.#latest.get(key) === ended) this.#latest.delete(key);
      end();
    }
  }
}
