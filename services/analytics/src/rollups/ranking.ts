/**
 * Counts by name: `[names, counts]` as JSON text. Reports read thousands of rankings, and one field per name would
 * take three times as long. Also, any text may be a name.
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

/** Adds the counts of a ranking to `to`, keeping its order. */
export function addRanking(ranking: Ranking, to: Map<string, number>): void {
  const [names, counts] = JSON.parse(ranking) as [string[], number[]];
  // Reports add hundreds of thousands of names, so this avoids an iterator.
  for (let rank = 0; rank < names.length; rank++) {
    const name = names[rank] ?? '';
    to.set(name, (to.get(name) ?? 0) + (counts[rank] ?? 0));
  }
}
