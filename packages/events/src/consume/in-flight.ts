/** Limits concurrent work, and signals when there is room for more. */
export class InFlight {
  readonly #max: number;
  #count = 0;
  #wanted = 0;
  #reached: (() => void) | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get room(): number {
    return this.#max - this.#count;
  }

  /** Counts running work until it ends. The promise must never reject. */
  add(work: Promise<void>): void {
    this.#count++;
    void work.then(this.#ended);
  }

  /** Resolves when there is room for this many more. One caller waits at a time. */
  hasRoom(wanted: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.room >= wanted) return resolve();
      this.#wanted = wanted;
      this.#reached = resolve;
    });
  }

  readonly #ended = (): void => {
    this.#count--;
    if (this.#reached === undefined || this.room < this.#wanted) return;
    this.#reached();
    this.#reached = undefined;
  };
}
