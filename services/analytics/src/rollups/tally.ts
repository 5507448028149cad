import { otherName } from './bounded-counts.ts';
import { textOf } from './field-name.ts';
import type { OrgDayState, Ranking } from './org-day-store.ts';
import type { SiteDayFigures } from './site-day-store.ts';

type Sums = Pick<SiteDayFigures, 'views' | 'bots' | 'uniques'>;
type Row = readonly [name: string, count: number];
const kinds = ['pages', 'referrers', 'devices'] as const;
type Kind = (typeof kinds)[number];

/** Sums of the figures of any number of site-days and organization-days. */
export class Tally {
  readonly sums: Sums = { views: 0, bots: 0, uniques: 0 };
  readonly byDay = new Map<string, Sums>();
  readonly #counts: Readonly<Record<Kind, Map<string, number>>> = { pages: new Map(), referrers: new Map(), devices: new Map() };

  addSiteDay(figures: SiteDayFigures): void {
    this.#addSums(figures);
    for (const kind of kinds) {
      const counts = this.#counts[kind];
      // Neither entries nor texts are made of them: there are tens of thousands.
      for (const field in figures[kind]) this.#addCount(counts, field, figures[kind][field] ?? 0);
    }
  }

  addOrgDay(figures: Omit<OrgDayState, 'stale'>): void {
    this.#addSums(figures);
    for (const kind of kinds) {
      const [fields, counts] = JSON.parse(figures[kind]) as [string[], number[]];
      for (let rank = 0; rank < fields.length; rank++) this.#addCount(this.#counts[kind], fields[rank] ?? '', counts[rank] ?? 0);
    }
  }

  /** The first names of a kind: most first, then by name in code unit order. What was not kept by name is not among them. */
  top(kind: Kind, most: number): Row[] {
    return this.#ranked(kind, most).map(([field, count]) => [textOf(field), count]);
  }

  /** The same as it is kept. */
  ranking(kind: Kind, most: number): Ranking {
    const rows = this.#ranked(kind, most);
    return JSON.stringify([rows.map(([field]) => field), rows.map(([, count]) => count)]);
  }

  #ranked(kind: Kind, most: number): Row[] {
    const rows = [...this.#counts[kind]].filter(([field]) => field !== otherName);
    const least = rows.length > most ? (rows.map(([, count]) => count).sort((a, b) => b - a)[most - 1] ?? 0) : 0;
    const first = rows.filter(([, count]) => count >= least);
    return first.sort(([a, x], [b, y]) => y - x || (textOf(a) < textOf(b) ? -1 : 1)).slice(0, most);
  }

  #addSums({ day, views, bots, uniques }: Sums & { day: string }): void {
    const ofDay = this.byDay.get(day) ?? { views: 0, bots: 0, uniques: 0 };
    for (const sums of [this.sums, ofDay]) {
      sums.views += views;
      sums.bots += bots;
      sums.uniques += uniques;
    }
    this.byDay.set(day, ofDay);
  }

  #addCount(counts: Map<string, number>, field: string, count: number): void {
    counts.set(field, (counts.get(field) ?? 0) + count);
  }
}
