/**
 * How often each name came: `[names, counts]` as JSON text. Reports read thousands of them, and fields of the names would take three times as
 * long; besides, any text may be a name.
 */
export type Ranking = string;

export const noRanking: Ranking = '[[],[]]';

export function encodeRanking(rows: Iterable<readonly [name: string, count: number]>): Ranking {
  const [names, counts]: [string[], number[]] = [[], []];
  for (const [name, count] of rows) {
    names.push(name);
    counts.push(count);
  }
  return JSON.stringify([names, counts]);
}

/** Adds what a ranking holds to counts, in its order. */
export function addRanking(ranking: Ranking, to: Map<string, number>): void {
  const [names, counts] = JSON.parse(ranking) as [string[], number[]];
  // Hundreds of thousands in a report: no iterator for them.
  for (let rank = 0; rank < names.length; rank++) {
    const name = names[rank] ?? '';
    to.set(name, (to.get(name) ?? 0) + (counts[rank] ?? 0));
  }
}
