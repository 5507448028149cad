/** The outcome of a run. The guarantee holds if `failures` is empty. */
export interface Outcome {
  readonly seed: number;
  readonly tries: number;
  /** The measured figures, as text for people. */
  readonly figure: string;
  readonly failures: readonly string[];
  /** Lines of a Markdown table, where a run has more to show than its figure. */
  readonly table?: readonly string[];
}

const maxNamed = 20;

/** Collects failures. Only the first 20 are kept; the others are counted. */
export class Findings {
  readonly #failures: string[] = [];
  #more = 0;

  check(holds: boolean, failure: string): void {
    if (holds) return;
    if (this.#failures.length < maxNamed) this.#failures.push(failure);
    else this.#more++;
  }

  get failures(): readonly string[] {
    return this.#more === 0 ? this.#failures : [...this.#failures, `… and ${this.#more} more`];
  }
}

/** The seed of a run: FAULT_SEED repeats an earlier run, otherwise it is random. */
export const chooseSeed = (): number => Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
