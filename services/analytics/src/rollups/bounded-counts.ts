import { addRanking, encodeRanking, noRanking, type Ranking } from './ranking.ts';

/** Names beyond the limit are counted under this one. */
export const otherRow = '(other)';

/** Counts by name. Names beyond `maxNames` are counted together. */
export class BoundedCounts {
  readonly #counts = new Map<string, number>();
  readonly #maxNames: number;
  #isChanged = false;
  bytes = 0;

  constructor(maxNames: number, ranking: Ranking = noRanking) {
    this.#maxNames = maxNames;
    addRanking(ranking, this.#counts);
    for (const name of this.#counts.keys()) this.bytes += estimateBytes(name);
  }

  add(text: string): void {
    const wanted = text.toWellFormed();
    const name = this.#counts.has(wanted) || this.#counts.size < this.#maxNames ? wanted : otherRow;
    const before = this.#counts.get(name);
    if (before === undefined) this.bytes += estimateBytes(name);
    this.#counts.set(name, (before ?? 0) + 1);
    this.#isChanged = true;
  }

  /** All names, in the order of their first appearance. */
  get ranking(): Ranking {
    return encodeRanking(this.#counts);
  }

  /** The ranking if it has changed since the last `markSaved`, else undefined. */
  get change(): Ranking | undefined {
    return this.#isChanged ? this.ranking : undefined;
  }

  markSaved(): void {
    this.#isChanged = false;
  }
}

/** Approximate memory of an entry, in bytes. */
const estimateBytes = (name: string) => 2 * name.length + 80;
