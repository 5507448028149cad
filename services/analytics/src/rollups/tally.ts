import { otherRow } from './bounded-counts.ts';
import type { DayStats } from './day-stats.ts';
import { addRanking, encodeRanking, type Ranking } from './ranking.ts';

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
    const rows = [...this.#counts[kind]].filter(([name]) => name !== otherRow);
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
