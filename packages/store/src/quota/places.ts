import { LRUCache } from 'lru-cache';
import type { Tenancy } from '../model/stored-record.ts';
import { isDuplicate } from '../store-errors.ts';
import { type PlaceIndex, TakenPlaces } from './taken-places.ts';

/** Places of one read; up to this limit every free place is seen. */
const windowSize = 256;
/** Reads at random positions before all places are counted. */
const maxWindows = 3;
/** Indexes that had no record beyond this limit a moment ago. A limit that was lowered leaves such records behind. */
const withinLimit = new LRUCache<string, true>({ max: 50_000, ttl: 10_000 });
/** For records without a limit: one that is set later finds them beyond it. */
const unlimited = 2 ** 31;

interface Quota<Doc, T extends Tenancy> extends PlaceIndex<Doc, T> {
  /** Undefined for no limit. */
  readonly limit: number | undefined;
  /** The refusal, when `used` places are taken. */
  readonly full: (used: number) => Error;
}

/**
 * Inserts a record at a free place below the limit. The record itself is what uses the quota: nothing is left behind
 * when a process dies, and a deleted record frees its place. A call that loses its place to a concurrent one takes
 * another. Throws `full`.
 */
export async function insertAtPlace<Doc, T extends Tenancy, R>(
  { limit, full, ...index }: Quota<Doc, T>,
  insert: (place: number) => Promise<R>,
): Promise<R> {
  const taken = new TakenPlaces(index as never);
  for (let attempt = 0; ; attempt++) {
    const place = limit === undefined ? randomBelow(unlimited) : await freePlace(taken, limit, attempt);
    if (place === undefined) throw full(await taken.count(0));
    try {
      return await insert(place);
    } catch (error) {
      if (!isDuplicate(error, index.field)) throw error;
    }
  }
}

/** The number of places that are taken. */
export const countPlaces = <Doc, T extends Tenancy>(index: PlaceIndex<Doc, T>): Promise<number> => new TakenPlaces(index as never).count(0);

/** The first attempt reads nothing, which succeeds wherever most places are free. Undefined if none is. */
async function freePlace(taken: TakenPlaces, limit: number, attempt: number): Promise<number | undefined> {
  const top = await topOf(taken, limit);
  if (top <= 0) return undefined;
  if (attempt === 0) return randomBelow(top);
  if (top > windowSize && attempt <= maxWindows) {
    const from = randomBelow(top - windowSize);
    const free = await freeIn(taken, from, from + windowSize);
    return free ?? freePlace(taken, limit, attempt + 1);
  }
  if (top > windowSize && (await taken.count(0, top)) >= top) return undefined;
  return firstFree(taken, top);
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
  const used = new Set(await taken.read(from, to));
  const free = Array.from({ length: to - from }, (_, at) => from + at).filter((place) => !used.has(place));
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
