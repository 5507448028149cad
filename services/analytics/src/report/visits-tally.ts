import { type Counts, type Dimension, dimensions, type Names, otherName, readBreakdown } from '../rollups/breakdown.ts';
import { addRanking, type DayStats } from '../rollups/tally.ts';
import { pageNames, pageOf } from '../views/view.ts';

/** The names that views must have to be counted. */
export type VisitsFilter = Partial<Names>;

type Lists = Readonly<Record<Dimension, Map<string, Counts>>>;

interface Named extends Counts {
  readonly name: string;
}

/** The rankings of days that an earlier release counted, by dimension. */
const rankings = [
  ['page', 'pages'],
  ['referrer', 'referrers'],
  ['device', 'devices'],
] as const;

/** Sums up the views and visitors of days, of all or of those that a filter lets through. */
export class VisitsTally {
  readonly sums: Counts = { views: 0, visitors: 0 };
  readonly byDay = new Map<string, Counts>();
  readonly byHour = new Map<number, Counts>();
  /** Views of which the filter cannot tell. */
  unknown = 0;
  /** By place among the dimensions. */
  readonly #filter: (readonly [at: number, name: string])[];
  readonly #lists: Lists;

  constructor(filter: VisitsFilter) {
    const wanted = filter.page === undefined ? filter : { ...filter, page: pageOf(filter.page) };
    this.#filter = dimensions.flatMap((dimension, at) => (wanted[dimension] === undefined ? [] : [[at, wanted[dimension]] as const]));
    this.#lists = Object.fromEntries(dimensions.map((dimension) => [dimension, new Map()])) as unknown as Lists;
  }

  get isFiltered(): boolean {
    return this.#filter.length > 0;
  }

  add(stats: DayStats): void {
    const { day, views, uniques: visitors, breakdown } = stats;
    if (!this.isFiltered) this.#addSums(day, { views, visitors });
    let told = 0;
    if (breakdown !== undefined)
      readBreakdown(breakdown, {
        onCombination: (names, counts) => {
          told += counts.views;
          if (this.#filter.some(([at, name]) => names[at] !== name && (at !== page || pageOf(names[at] ?? '') !== name))) return;
          if (this.isFiltered) this.#addSums(day, counts);
          for (const [at, dimension] of dimensions.entries()) addTo(this.#lists[dimension], names[at] ?? '', counts);
        },
        onRest: (dimension, name, counts) => {
          if (!this.isFiltered) addTo(this.#lists[dimension], name, counts);
        },
        onHour: (hour, counts) => addTo(this.byHour, hour, counts),
      });
    else if (!this.isFiltered) this.#addRankings(stats);
    if (this.isFiltered) this.unknown += Math.max(0, views - told);
  }

  /** The names with the highest counts, ties ordered by code unit. What has no name is left out, but not `direct`. */
  top(dimension: Dimension, by: keyof Counts, limit: number): Named[] {
    const isShown = (name: string) => name !== otherName && (name !== '' || dimension === 'referrer');
    const rows = [...(dimension === 'page' ? byPage(this.#lists.page) : this.#lists[dimension])].filter(
      ([name, counts]) => isShown(name) && counts.views + counts.visitors > 0,
    );
    const second = by === 'views' ? 'visitors' : 'views';
    rows.sort(([a, one], [b, other]) => other[by] - one[by] || other[second] - one[second] || (a < b ? -1 : 1));
    return rows.slice(0, limit).map(([name, counts]) => ({ name, ...whole(counts) }));
  }

  #addSums(day: string, counts: Counts): void {
    this.sums.views += counts.views;
    this.sums.visitors += counts.visitors;
    addTo(this.byDay, day, counts);
  }

  #addRankings(stats: DayStats): void {
    for (const [dimension, kind] of rankings) {
      const views = new Map<string, number>();
      addRanking(stats[kind], views);
      for (const [name, count] of views) addTo(this.#lists[dimension], name, { views: count, visitors: 0 });
    }
  }
}

/** The place of the page among the dimensions. */
const page = dimensions.indexOf('page');

/** The counts of the addresses of a page together. */
function byPage(byPath: ReadonlyMap<string, Counts>): Map<string, Counts> {
  const counts = new Map<string, Counts>();
  const nameOf = pageNames(byPath.keys());
  for (const [path, each] of byPath) addTo(counts, nameOf(path), each);
  return counts;
}

function addTo<K>(counts: Map<K, Counts>, key: K, { views, visitors }: Counts): void {
  const before = counts.get(key);
  if (before === undefined) counts.set(key, { views, visitors });
  else {
    before.views += views;
    before.visitors += visitors;
  }
}

/** Visitors may be estimates with fractions. */
export const whole = ({ views, visitors }: Counts): Counts => ({ views, visitors: Math.round(visitors) });
