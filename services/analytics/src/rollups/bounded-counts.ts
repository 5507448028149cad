/** Under this name goes what comes when there are as many names as are kept. */
export const otherName = '(other)';

/** How often each name came; further names than `most` are counted under one. */
export class BoundedCounts {
  readonly counts: Map<string, number>;
  readonly #changed = new Set<string>();
  readonly #most: number;
  bytes = 0;

  constructor(most: number, counts: Iterable<readonly [string, number]> = []) {
    this.#most = most;
    this.counts = new Map(counts);
    for (const name of this.counts.keys()) this.bytes += sizeOf(name);
  }

  add(text: string): void {
    const wanted = text.toWellFormed();
    const name = this.counts.has(wanted) || this.counts.size < this.#most ? wanted : otherName;
    const before = this.counts.get(name);
    if (before === undefined) this.bytes += sizeOf(name);
    this.counts.set(name, (before ?? 0) + 1);
    this.#changed.add(name);
  }

  /** The counts that changed since the last `settle`. */
  changes(): [string, number][] {
    return [...this.#changed].map((name) => [name, this.counts.get(name) ?? 0]);
  }

  settle(): void {
    this.#changed.clear();
  }
}

/** About what an entry takes in memory, in bytes. */
const sizeOf = (name: string) => 2 * name.length + 80;
