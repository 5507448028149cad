/** What a view is broken down by. New ones go to the end: stored breakdowns have the names of each at its place. */
export const dimensions = ['page', 'referrer', 'source', 'medium', 'campaign', 'country', 'browser', 'system', 'device'] as const;
export type Dimension = (typeof dimensions)[number];
/** The names that a view or a filter has. */
export type Names = Readonly<Record<Dimension, string>>;

/** Names of a dimension that are kept for a day, in the order of `dimensions`. Further ones are one. */
const maxNames = [500, 200, 100, 50, 100, 260, 30, 30, 10] as const;
/** Combinations of names that are kept for a day. */
const maxCombinations = 500;
/** The name of all that have no place of their own. */
export const otherName = '(other)';
const hours = 24;

/** A visitor counts with the first view of the day; beyond 1,000 visitors of a site and day it is an estimate. */
export interface Counts {
  views: number;
  visitors: number;
}

type Encoded = readonly [names: readonly (readonly string[])[], combinations: number[][], rest: number[][], hours: number[]];

/** A breakdown as stored: JSON text, because a document with a field per number would take far longer to read. */
export type StoredBreakdown = string;

/**
 * The views and visitors of a day by combinations of what is known of them, which filters need; at most 500. Further
 * combinations are counted by each dimension apart, so that lists stay complete and only filters miss them.
 */
export class Breakdown {
  readonly #places: readonly Map<string, number>[];
  readonly #combinations: Map<string, number[]>;
  /** Views and visitors of combinations without a place, by dimension and place of the name. */
  readonly #rest: readonly Map<number, Counts>[];
  readonly #hours: number[];
  #isChanged = false;

  constructor(stored: StoredBreakdown = noBreakdown) {
    const [names, combinations, rest, byHour] = JSON.parse(stored) as Encoded;
    this.#places = dimensions.map((_, at) => new Map(names[at]?.map((name, place) => [name, place])));
    this.#combinations = new Map(combinations.map((row) => [keyOf(row.slice(0, dimensions.length)), row]));
    this.#rest = dimensions.map((_, at) => new Map(triples(rest[at]).map(([place, views, visitors]) => [place, { views, visitors }])));
    this.#hours = [...byHour];
  }

  /** Approximate memory, in bytes. */
  get bytes(): number {
    return 250 * this.#combinations.size + this.#places.reduce((sum, { size }) => sum + 120 * size, 0);
  }

  /** Adds a view of an hour of the day; `visitors`: how many visitors came with it. */
  addView(names: Names, hour: number, visitors: number): void {
    this.#addHour(hour, { views: 1, visitors });
    this.#add(
      dimensions.map((dimension) => names[dimension]),
      { views: 1, visitors },
    );
  }

  /** Adds all of another one. */
  merge(stored: StoredBreakdown): void {
    readBreakdown(stored, {
      onCombination: (names, counts) => this.#add(names, counts),
      onRest: (dimension, name, counts) =>
        this.#addRest(dimensions.indexOf(dimension), this.#placeOf(dimensions.indexOf(dimension), name), counts),
      onHour: (hour, counts) => this.#addHour(hour, counts),
    });
  }

  get stored(): StoredBreakdown {
    const rest = this.#rest.map((counts) => [...counts].flatMap(([place, { views, visitors }]) => [place, views, round(visitors)]));
    const rows = [...this.#combinations.values()].map((row) => [...row.slice(0, -1), round(row.at(-1) ?? 0)]);
    const encoded: Encoded = [this.#places.map((places) => [...places.keys()]), rows, rest, this.#hours.map(round)];
    return JSON.stringify(encoded);
  }

  /** The breakdown if it has changed since the last `markSaved`, else undefined. */
  get change(): StoredBreakdown | undefined {
    return this.#isChanged ? this.stored : undefined;
  }

  markSaved(): void {
    this.#isChanged = false;
  }

  /** `names`: in the order of `dimensions`. */
  #add(names: readonly string[], counts: Counts): void {
    const places = names.map((name, at) => this.#placeOf(at, name));
    const key = keyOf(places);
    const row = this.#combinations.get(key);
    if (row !== undefined) {
      row[dimensions.length] = (row[dimensions.length] ?? 0) + counts.views;
      row[dimensions.length + 1] = (row[dimensions.length + 1] ?? 0) + counts.visitors;
    } else if (this.#combinations.size < maxCombinations) this.#combinations.set(key, [...places, counts.views, counts.visitors]);
    else for (const [at, place] of places.entries()) this.#addRest(at, place, counts);
    this.#isChanged = true;
  }

  #addRest(at: number, place: number, { views, visitors }: Counts): void {
    const before = this.#rest[at]?.get(place) ?? { views: 0, visitors: 0 };
    this.#rest[at]?.set(place, { views: before.views + views, visitors: before.visitors + visitors });
    this.#isChanged = true;
  }

  #addHour(hour: number, { views, visitors }: Counts): void {
    this.#hours[2 * hour] = (this.#hours[2 * hour] ?? 0) + views;
    this.#hours[2 * hour + 1] = (this.#hours[2 * hour + 1] ?? 0) + visitors;
    this.#isChanged = true;
  }

  #placeOf(at: number, text: string): number {
    const places = this.#places[at] ?? new Map<string, number>();
    const wanted = text.toWellFormed();
    const known = places.get(wanted);
    if (known !== undefined) return known;
    const name = places.size < (maxNames[at] ?? 0) ? wanted : otherName;
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  }
}

const noBreakdown: StoredBreakdown = JSON.stringify([[], [], [], Array.from({ length: 2 * hours }, () => 0)]);

interface Reader {
  /** `names`: in the order of `dimensions`. */
  readonly onCombination: (names: readonly string[], counts: Counts) => void;
  /** Views that are known by one dimension alone. */
  readonly onRest: (dimension: Dimension, name: string, counts: Counts) => void;
  readonly onHour: (hour: number, counts: Counts) => void;
}

/** Calls the reader with all that a breakdown has. */
export function readBreakdown(stored: StoredBreakdown, { onCombination, onRest, onHour }: Reader): void {
  const [names, combinations, rest, byHour] = JSON.parse(stored) as Encoded;
  const nameAt = (at: number, place: number | undefined) => names[at]?.[place ?? -1] ?? '';
  for (const row of combinations) {
    const of = dimensions.map((_, at) => nameAt(at, row[at]));
    onCombination(of, { views: row[dimensions.length] ?? 0, visitors: row[dimensions.length + 1] ?? 0 });
  }
  for (const [at, dimension] of dimensions.entries()) {
    for (const [place, views, visitors] of triples(rest[at])) onRest(dimension, nameAt(at, place), { views, visitors });
  }
  for (let hour = 0; hour < hours; hour++) onHour(hour, { views: byHour[2 * hour] ?? 0, visitors: byHour[2 * hour + 1] ?? 0 });
}

const keyOf = (places: readonly number[]): string => places.join();

const round = (count: number): number => Math.round(count * 100) / 100;

function triples(flat: readonly number[] = []): (readonly [number, number, number])[] {
  return Array.from({ length: flat.length / 3 }, (_, at) => [flat[3 * at] ?? 0, flat[3 * at + 1] ?? 0, flat[3 * at + 2] ?? 0] as const);
}
