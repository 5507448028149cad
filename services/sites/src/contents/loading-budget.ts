import { AppError } from '@webkiln/contract';

const waitingMost = 1000;

/** Bounds the bytes that are being loaded at once; what does not fit waits for its turn, and what cannot wait is refused as `overloaded`. */
export class LoadingBudget {
  readonly #bytesMost: number;
  readonly #waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  #bytes = 0;

  constructor(bytesMost: number) {
    this.#bytesMost = bytesMost;
  }

  /** Runs work that takes so many bytes at most; one that exceeds the budget runs alone. */
  async within<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.#take(bytes);
    try {
      return await work();
    } finally {
      this.#bytes -= bytes;
      this.#admit();
    }
  }

  #take(bytes: number): Promise<void> {
    if (this.#waiting.length >= waitingMost) throw new AppError('overloaded');
    return new Promise((begin) => {
      this.#waiting.push({ bytes, begin });
      this.#admit();
    });
  }

  #admit(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      if (this.#bytes > 0 && this.#bytes + next.bytes > this.#bytesMost) return;
      this.#waiting.shift();
      this.#bytes += next.bytes;
      next.begin();
    }
  }
}
