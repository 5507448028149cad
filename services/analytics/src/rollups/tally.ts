import { pageNames } from '../views/view.ts';
import { otherName, type StoredBreakdown } from './breakdown.ts';

type Sums = Pick<DayStats, 'views' | 'bots' | 'uniques'>;
type Row = readonly [name: string, count: number];
const kinds = ['pages', 'referrers', 'devices'] as const;
type Kind = (typeof kinds)[number];

/** Sums up the statistics of any number of site-days and organization-days. */
export class Tally {
  readonly sums: Sums = { views: 0, bots: 0, uniques: 0 };
  readonly byDay = new Map<string, Sums>();
  readonly #counts: Readonly<Record<Kind, Map<string, number>>> = { pages: new Map(), referrers: new Map(), devices: new Map() };

  add(stats: DayStats): void {
    this.#addSums(stats);
    for (const kind of kinds) addRanking(stats[kind], this.#counts[kind]);
  }

  /** Returns the names with the highest counts, ties ordered by code unit. `(other)` is left out. */
  top(kind: Kind, limit: number): Row[] {
    const counts = this.#counts[kind];
    const rows = [...(kind === 'pages' ? byPage(counts) : counts)].filter(([name]) => name !== otherName);
    const min = rows.length > limit ? (rows.map(([, count]) => count).sort((a, b) => b - a)[limit - 1] ?? 0) : 0;
    const first = rows.filter(([, count]) => count >= min);
    return first.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, limit);
  }

  /** The same rows as an encoded ranking. */
  ranking(kind: Kind, limit: number): Ranking {
    return encodeRanking(this.top(kind, limit));
  }

  #addSums({ day, views, bots, uniques }: DayStats): void {
    const daySums = this.byDay.get(day) ?? { views: 0, bots: 0, uniques: 0 };
    for (const sums of [this.sums, daySums]) {
      sums.views += views;
      sums.bots += bots;
      sums.uniques += uniques;
    }
    this.byDay.set(day, daySums);
  }
}

/** The counts of the addresses of a page together. */
function byPage(byPath: ReadonlyMap<string, number>): Map<string, number> {
  const counts = new Map<string, number>();
  const nameOf = pageNames(byPath.keys());
  for (const [path, count] of byPath) counts.set(nameOf(path), (counts.get(nameOf(path)) ?? 0) + count);
  return counts;
}

/** The statistics of one UTC day, of a site or of an organization. */
export interface DayStats {
  /** "2026-03-01" */
  day: string;
  views: number;
  bots: number;
  uniques: number;
  pages: Ranking;
  referrers: Ranking;
  devices: Ranking;
  /** Absent on days that an earlier release counted. */
  breakdown?: StoredBreakdown;
}

/** The fields of `DayStats` without the breakdown, as a projection. */
export const dayStatsFields = ['day', 'views', 'bots', 'uniques', 'pages', 'referrers', 'devices'] as const satisfies (keyof DayStats)[];

export const brokenDownFields = [...dayStatsFields, 'breakdown'] as const satisfies (keyof DayStats)[];

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
    const name = this.#counts.has(wanted) || this.#counts.size < this.#maxNames ? wanted : otherName;
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

/**
 * Counts by name: `[names, counts]` as JSON text. Reports read thousands of rankings, and one field per name would
 * take three times as long. Also, any text may be a name.
 */
type Ranking = string;

export const noRanking: Ranking = '[[],[]]';

function encodeRanking(rows: Iterable<readonly [name: string, count: number]>): Ranking {
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
