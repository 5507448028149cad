/** What is under way, at most so much of it. */
export class InHand {
  readonly #most: number;
  #count = 0;
  #wanted = 0;
  #reached: (() => void) | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  get room(): number {
    return this.#most - this.#count;
  }

  /** Takes what has begun, and never rejects, until it has ended. */
  add(work: Promise<void>): void {
    this.#count++;
    void work.then(this.#ended);
  }

  /** Resolves when there is room for so much more. One waits at a time. */
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
