import { AppError } from '@webkiln/contract';

interface Options {
  /** How many are in hand at once. */
  readonly atOnce: number;
  /** How long a request waits, its body unread, before it is refused. */
  readonly waitMs: number;
}

/** Keeps memory flat however many large bodies arrive: few are read and worked on at once, the others wait for their turn. */
export class LargeBodies {
  #free: number;
  readonly #waitMs: number;
  readonly #waiting = new Set<() => void>();

  constructor({ atOnce, waitMs }: Options) {
    this.#free = atOnce;
    this.#waitMs = waitMs;
  }

  /** Runs the work on one when there is room for it. Throws `overloaded` when that takes too long. */
  async hold(work: () => Promise<void>): Promise<void> {
    await this.#enter();
    try {
      await work();
    } finally {
      this.#leave();
    }
  }

  async #enter(): Promise<void> {
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
      }, this.#waitMs);
      this.#waiting.add(admit);
    });
  }

  /** Gives the room to who has waited longest. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
