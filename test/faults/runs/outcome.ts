/** What a run came to: the promise holds when nothing failed. */
export interface Outcome {
  readonly seed: number;
  readonly tries: number;
  /** The figures of the promise, for people. */
  readonly figure: string;
  readonly failures: readonly string[];
}

const mostNamed = 20;

/** Collects what did not hold; thousands of failures are named by the first of them. */
export class Findings {
  readonly #failures: string[] = [];
  #more = 0;

  check(holds: boolean, failure: string): void {
    if (holds) return;
    if (this.#failures.length < mostNamed) this.#failures.push(failure);
    else this.#more++;
  }

  get failures(): readonly string[] {
    return this.#more === 0 ? this.#failures : [...this.#failures, `… and ${this.#more} more`];
  }
}

/** The seed of a run: FAULT_SEED to repeat one, else a new one. */
export const chooseSeed = (): number => Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
