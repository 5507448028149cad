import { otherName } from './bounded-counts.ts';
import { textOf } from './field-name.ts';
import type { OrgDayState } from './org-day-store.ts';
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
      // Not Object.entries: there are tens of thousands of them.
      for (const field in figures[kind]) this.#addCount(counts, textOf(field), figures[kind][field] ?? 0);
    }
  }

  addOrgDay(figures: Omit<OrgDayState, 'stale'>): void {
    this.#addSums(figures);
    for (const kind of kinds)
      for (const [name, count] of JSON.parse(figures[kind]) as Row[]) this.#addCount(this.#counts[kind], name, count);
  }

  /** The first names of a kind: most first, then by name in code unit order. What was not kept by name is not among them. */
  top(kind: Kind, most: number): Row[] {
    const rows = [...this.#counts[kind]].filter(([name]) => name !== otherName);
    return rows.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, most);
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

  #addCount(counts: Map<string, number>, name: string, count: number): void {
    counts.set(name, (counts.get(name) ?? 0) + count);
  }
}
