import { otherName } from './bounded-counts.ts';
import type { DayFigures } from './day-figures.ts';
import { addRanking, encodeRanking, type Ranking } from './ranking.ts';

type Sums = Pick<DayFigures, 'views' | 'bots' | 'uniques'>;
type Row = readonly [name: string, count: number];
const kinds = ['pages', 'referrers', 'devices'] as const;
type Kind = (typeof kinds)[number];

/** Sums of the figures of any number of site-days and organization-days. */
export class Tally {
  readonly sums: Sums = { views: 0, bots: 0, uniques: 0 };
  readonly byDay = new Map<string, Sums>();
  readonly #counts: Readonly<Record<Kind, Map<string, number>>> = { pages: new Map(), referrers: new Map(), devices: new Map() };

  /** `figures`: of a site-day, or an organization-day. */
  add(figures: DayFigures): void {
    this.#addSums(figures);
    for (const kind of kinds) addRanking(figures[kind], this.#counts[kind]);
  }

  /** The first names of a kind: most first, then by name in code unit order. What was not kept by name is not among them. */
  top(kind: Kind, most: number): Row[] {
    const rows = [...this.#counts[kind]].filter(([name]) => name !== otherName);
    const least = rows.length > most ? (rows.map(([, count]) => count).sort((a, b) => b - a)[most - 1] ?? 0) : 0;
    const first = rows.filter(([, count]) => count >= least);
    return first.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, most);
  }

  /** The same as it is kept. */
  ranking(kind: Kind, most: number): Ranking {
    return encodeRanking(this.top(kind, most));
  }

  #addSums({ day, views, bots, uniques }: DayFigures): void {
    const ofDay = this.byDay.get(day) ?? { views: 0, bots: 0, uniques: 0 };
    for (const sums of [this.sums, ofDay]) {
      sums.views += views;
      sums.bots += bots;
      sums.uniques += uniques;
    }
    this.byDay.set(day, ofDay);
  }
}
