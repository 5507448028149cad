import { Coalescer, growingTo } from '@webkiln/runtime';
import { LRUCache } from 'lru-cache';
import type mongoose from 'mongoose';
import { rawModel } from '../model/models.ts';
import { compiled, type Filter, type Scope, tenancyFilter } from '../model/scope.ts';
import type { ModelOf, Stored, StoreModel, Tenancy } from '../model/stored-record.ts';
import { answered, isDuplicate } from '../store-errors.ts';

/** Places of one read; up to this limit every free place is seen. */
const windowSize = 256;
/** Reads at random positions before all places are counted. */
const maxWindows = 3;
/** Indexes that had no record beyond this limit a moment ago. A limit that was lowered leaves such records behind. */
const withinLimit = new LRUCache<string, true>({ ...growingTo(50_000), ttl: 10_000 });
/** For records without a limit: one that is set later finds them beyond it. */
const unlimited = 2 ** 31;

interface Quota<Doc, T extends Tenancy> extends PlaceIndex<Doc, T> {
  /** Undefined for no limit. */
  readonly limit: number | undefined;
  /** The refusal, when `used` places are taken. */
  readonly full: (used: number) => Error;
  /**
   * True if the caller knows that no earlier attempt of its request has inserted the record, which a write would find.
   * Then a full quota with few places is refused without one.
   */
  readonly isSurelyNew?: boolean;
}

/**
 * Inserts a record at a free place below the limit. The record itself is what uses the quota: nothing is left behind
 * when a process dies, and a deleted record frees its place. A call that loses its place to a concurrent one takes
 * another. Throws `full`.
 */
export async function insertAtPlace<Doc, T extends Tenancy, R>(
  { limit, full, isSurelyNew = false, ...index }: Quota<Doc, T>,
  insert: (place: number) => Promise<R>,
): Promise<R> {
  const taken = new TakenPlaces(index as never);
  for (let attempt = 0; ; attempt++) {
    const place = limit === undefined ? randomBelow(unlimited) : await freePlace(taken, limit, attempt, isSurelyNew);
    if (typeof place !== 'number') throw full(place.used ?? (await taken.count(0)));
    try {
      return await insert(place);
    } catch (error) {
      if (!isDuplicate(error, index.field)) throw error;
    }
  }
}

/** The number of places that are taken. */
export const countPlaces = <Doc, T extends Tenancy>(index: PlaceIndex<Doc, T>): Promise<number> => new TakenPlaces(index as never).count(0);

/** No place is free. `used` is how many are taken, if that is known. */
interface NoPlace {
  readonly used?: number;
}

/** The first attempt reads nothing, which succeeds wherever most places are free. */
async function freePlace(taken: TakenPlaces, limit: number, attempt: number, isSurelyNew = false): Promise<number | NoPlace> {
  if (limit <= windowSize && (isSurelyNew || attempt > 0)) return freeOfFew(taken, limit);
  const top = await topOf(taken, limit);
  if (top <= 0) return {};
  if (attempt === 0) return randomBelow(top);
  if (top > windowSize && attempt <= maxWindows) {
    const from = randomBelow(top - windowSize);
    const free = await freeIn(taken, from, from + windowSize);
    return free ?? freePlace(taken, limit, attempt + 1);
  }
  if (top > windowSize && (await taken.count(0, top)) >= top) return {};
  return (await firstFree(taken, top)) ?? {};
}

/** One read of all places: a write that the unique index refuses costs more. The places are those below `topOf`. */
async function freeOfFew(taken: TakenPlaces, limit: number): Promise<number | NoPlace> {
  if (limit <= 0) return {};
  const used = await taken.read(0, undefined, limit + 1);
  // More than were read may be taken where the limit was lowered.
  if (used.length >= limit) return used.length === limit ? { used: limit } : {};
  const roomBelow = (top: number) => limit - used.filter((place) => place >= top).length;
  let top = limit;
  for (let next = roomBelow(top); next < top; next = roomBelow(top)) top = next;
  return freeBeside(used, 0, top) ?? {};
}

/** Reads all places window by window, from a random one. */
async function firstFree(taken: TakenPlaces, top: number): Promise<number | undefined> {
  const windows = Math.ceil(top / windowSize);
  const first = randomBelow(windows);
  for (let step = 0; step < windows; step++) {
    const from = ((first + step) % windows) * windowSize;
    const free = await freeIn(taken, from, Math.min(from + windowSize, top));
    if (free !== undefined) return free;
  }
  return undefined;
}

async function freeIn(taken: TakenPlaces, from: number, to: number): Promise<number | undefined> {
  return freeBeside(await taken.read(from, to), from, to);
}

function freeBeside(used: readonly number[], from: number, to: number): number | undefined {
  const taken = new Set(used);
  const free = Array.from({ length: to - from }, (_, at) => from + at).filter((place) => !taken.has(place));
  return free[randomBelow(free.length)];
}

/**
 * New records take places below this: the limit, less the records that a lowered limit left beyond it. Those only
 * become fewer, so the places below and the records above are never more than the limit.
 */
async function topOf(taken: TakenPlaces, limit: number): Promise<number> {
  const key = `${taken.key} ${limit}`;
  if (limit > windowSize && withinLimit.has(key)) return limit;
  for (let top = limit; ; ) {
    const next = limit - (await taken.count(top));
    if (next >= top) {
      if (top === limit) withinLimit.set(key, true);
      return top;
    }
    if (next <= 0) return 0;
    top = next;
  }
}

const randomBelow = (count: number) => Math.floor(Math.random() * count);

/** The records that share a limit, and the field with their numbered places. */
export interface PlaceIndex<Doc, T extends Tenancy> {
  readonly model: ModelOf<Doc, T>;
  readonly scope: Scope;
  /** Besides the scope's organization. */
  readonly within: Filter<Stored<Doc, T>>;
  /** Null or absent in records without a place. A unique index over `within` and this field makes limits exact. */
  readonly field: keyof Stored<Doc, T> & string;
}

/** The index of `field` for `defineModel`: within an organization, or within `by` in it. */
export const placeIndex = (field: string, by?: string) =>
  [
    { org_id: 1, ...(by !== undefined && { [by]: 1 }), [field]: 1 } as Readonly<Record<string, 1>>,
    { name: `${field}_taken`, unique: true, partialFilterExpression: { [field]: { $gte: 0 } } },
  ] as const;

const reads = new Coalescer<readonly number[]>();

/** The taken places. Every query is answered from the unique index alone. */
class TakenPlaces {
  /** The same for equal indexes. */
  readonly key: string;
  readonly #model: ModelOf<unknown, Tenancy>;
  readonly #filter: Record<string, object>;
  readonly #field: string;

  constructor({ model, scope, within, field }: { model: ModelOf<never, Tenancy>; scope: Scope; within: Filter<never>; field: string }) {
    this.#model = model as ModelOf<unknown, Tenancy>;
    this.#filter = { ...tenancyFilter(this.#model, scope), ...compiled(within) };
    this.#field = field;
    this.key = JSON.stringify([model.collection, field, this.#filter]);
  }

  /** The number of taken places from `from` on, up to `to` (exclusive). */
  count(from: number, to?: number): Promise<number> {
    return answered('count', this.#model, () => this.#rows().countDocuments(this.#between(from, to), { hint: `${this.#field}_taken` }));
  }

  /** The taken places from `from` on, up to `to` (exclusive): at most `limit` of them. Equal reads are coalesced. */
  read(from: number, to?: number, limit = windowSize): Promise<readonly number[]> {
    const options = { projection: { _id: 0, [this.#field]: 1 }, hint: `${this.#field}_taken`, limit };
    return reads.ask(`${this.key} ${from} ${to} ${limit}`, async () => {
      const found = await answered('find', this.#model, () => this.#rows().find(this.#between(from, to), options).toArray());
      return found.map((record) => record[this.#field]);
    });
  }

  #rows(): mongoose.mongo.Collection {
    return rawModel(this.#model).collection as unknown as mongoose.mongo.Collection;
  }

  #between(from: number, to?: number) {
    return { ...this.#filter, [this.#field]: { $gte: from, ...(to !== undefined && { $lt: to }) } };
  }
}

const chunkSize = 1_000;

/**
 * Gives a place to the records without one, at each start: those of a version that had no places, and those of a
 * process that died before it gave one. `live` selects the records that use the quota, `by` are the fields that its
 * unique index has beside the place. A record beyond the limit gets a place beyond it, so that it counts.
 */
export async function assignPlaces(
  model: StoreModel,
  { field, by, live = {} }: { field: string; by: readonly string[]; live?: object },
): Promise<void> {
  const { collection } = rawModel(model);
  const next = new Map<string, number>();
  const unplaced = { ...live, [field]: null, deleted_org_id: { $exists: false } };
  for (let after: string | undefined; ; ) {
    const filter = after === undefined ? unplaced : { ...unplaced, _id: { $gt: after } };
    const found = await answered('find', model, () =>
      collection
        .find(filter as never, { projection: Object.fromEntries(by.map((name) => [name, 1])), sort: { _id: 1 }, limit: chunkSize })
        .toArray(),
    );
    for (const record of found) {
      const key = JSON.stringify(by.map((name) => record[name]));
      next.set(key, await assign(model, String(record._id), field, next.get(key) ?? 0));
      after = String(record._id);
    }
    if (found.length < chunkSize) return;
  }
}

/** Takes the first free place from `place` on; returns the one after it. */
async function assign(model: StoreModel, _id: string, field: string, place: number): Promise<number> {
  for (let free = place; ; free++) {
    try {
      await answered('update', model, () =>
        rawModel(model).collection.updateOne({ _id, [field]: null } as never, { $set: { [field]: free } }),
      );
      return free + 1;
    } catch (error) {
      if (!isDuplicate(error, field)) throw error;
    }
  }
}
