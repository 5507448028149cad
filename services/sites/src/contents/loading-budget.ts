import { AppError } from '@webkiln/contract';

const maxWaiting = 1000;

/**
 * Bounds the bytes that are loaded concurrently. Work beyond the budget waits in order; beyond 1,000 waiting it fails
 * as `overloaded`.
 */
export class LoadingBudget {
  readonly #maxBytes: number;
  readonly #waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Runs work that needs at most `bytes`. Work larger than the whole budget runs alone. */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.#acquire(bytes);
    try {
      return await work();
    } finally {
      this.#bytes -= bytes;
      this.#admit();
    }
  }

  #acquire(bytes: number): Promise<void> {
    if (this.#waiting.length >= maxWaiting) throw new AppError('overloaded');
    return new Promise((start) => {
      this.#waiting.push({ bytes, start });
      this.#admit();
    });
  }

  #admit(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#bytes > 0 && this.#bytes + next.bytes > this.#maxBytes) return;
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.start();
    }
  }
}
