import { addRanking, encodeRanking, noRanking, type Ranking } from './ranking.ts';

/** Under this name goes what comes when there are as many names as are kept. */
export const otherName = '(other)';

/** How often each name came; further names than `most` are counted under one. */
export class BoundedCounts {
  readonly #counts = new Map<string, number>();
  readonly #most: number;
  #isChanged = false;
  bytes = 0;

  constructor(most: number, ranking: Ranking = noRanking) {
    this.#most = most;
    addRanking(ranking, this.#counts);
    for (const name of this.#counts.keys()) this.bytes += sizeOf(name);
  }

  add(text: string): void {
    const wanted = text.toWellFormed();
    const name = this.#counts.has(wanted) || this.#counts.size < this.#most ? wanted : otherName;
    const before = this.#counts.get(name);
    if (before === undefined) this.bytes += sizeOf(name);
    this.#counts.set(name, (before ?? 0) + 1);
    this.#isChanged = true;
  }

  /** All of them, in the order in which they came first. */
  get ranking(): Ranking {
    return encodeRanking(this.#counts);
  }

  /** The same; undefined where nothing was added since the last `settle`. */
  get change(): Ranking | undefined {
    return this.#isChanged ? this.ranking : undefined;
  }

  settle(): void {
    this.#isChanged = false;
  }
}

/** About what an entry takes in memory, in bytes. */
const sizeOf = (name: string) => 2 * name.length + 80;
