import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import type { Index } from '../model/indexes.ts';
import { rawModel } from '../model/models.ts';
import { containing, type Filter, formsOf, orgOf, type Scope, startingWith, userOf, where } from '../model/scope.ts';
import type { OrgModel, Stored, StoreModel } from '../model/stored-record.ts';
import { scoped } from '../scoped.ts';
import { answered } from '../store-errors.ts';

/** So many parts of a search are tried. They are counted so far, and further if all have more. */
const maxTried = 6;
const maxCounted = 2_000;
const countedFurther = [8_000, 32_000];
/** So many of the newest records with a part are looked at; a page is soon full if half of them match. */
const sampled = 50;

type Parts = Record<string, string | null>;

/**
 * The records whose searched field contains a text in any case and either Unicode form. The index finds those that have
 * the rarest part of the text, in the order of the list; these are compared. Records of earlier versions without parts
 * are compared all.
 */
export async function searchFilter<Doc>(model: OrgModel<Doc>, scope: Scope, text: string): Promise<Filter<Stored<Doc>>> {
  const field = searchedField(model);
  const partsField = partsFieldOf(field);
  const condition = async () => {
    // A client's user has few records, and their own index.
    if (userOf(scope) !== undefined) return {};
    const records = scoped(model as OrgModel<Parts>, { org_id: orgOf(scope) });
    const count = (filter: Filter<Parts>, max: number) => records.count(filter as Filter<Stored<Parts>>, max);
    const points = folded(text);
    if (points.length >= partLength) {
      const part = await bestPart(points, {
        count: (each, max) => count({ [partsField]: each }, max),
        hits: async (each) => {
          const having = { [partsField]: each } as Filter<Stored<Parts>>;
          const newest = await records.find(having, { fields: [field], sort: newestFirst, limit: sampled });
          const hasText = (name: string) => folded(name).join('').includes(points.join(''));
          return newest.filter((record) => hasText(record[field] ?? '')).length;
        },
      });
      return { [partsField]: where({ $in: [...beginningsOf(part), null] }) };
    }
    // A text that many records contain is found sooner by reading the list itself.
    const [starting, ...decomposed] = beginningsOf(points.join('')).map((form) => ({ [partsField]: startingWith(form) }));
    const others = [...decomposed, { [partsField]: null }].map((filter) => count(filter, 1));
    const [matching, ...incomplete] = await Promise.all([count(starting ?? {}, maxCounted), ...others]);
    return matching < maxCounted && incomplete.every((some) => some === 0) ? starting : {};
  };
  return { [field]: containing(text), ...(await condition()) } as Filter<Stored<Doc>>;
}

interface PartReads {
  /** Counts the records that have a part, so far. */
  readonly count: (part: string, max: number) => Promise<number>;
  /** How many of the newest records with a part match the whole text. */
  readonly hits: (part: string) => Promise<number>;
}

/**
 * The part that the fewest records have. Of those that many have, the one whose newest records match: a page is full
 * after few of them.
 */
async function bestPart(points: readonly string[], { count, hits }: PartReads): Promise<string> {
  const all = Array.from({ length: points.length - partLength + 1 }, (_, index) => points.slice(index, index + partLength).join(''));
  const step = Math.max(1, (all.length - 1) / (maxTried - 1));
  const tried = [...new Set(all.filter((_, index) => index === Math.round(Math.round(index / step) * step)))];
  if (tried.length === 1) return tried[0] as string;
  const rarest = async (max: number) => {
    const counts = await Promise.all(tried.map((part) => count(part, max)));
    const fewest = Math.min(...counts);
    return fewest < max ? tried[counts.indexOf(fewest)] : undefined;
  };
  const rare = await rarest(maxCounted);
  if (rare !== undefined) return rare;
  const found = await Promise.all(tried.map(hits));
  const most = Math.max(...found);
  for (const max of most < sampled / 2 ? countedFurther : []) {
    const part = await rarest(max);
    if (part !== undefined) return part;
  }
  return tried[found.indexOf(most)] as string;
}

/** The field beside a searched one that holds its parts. */
export const partsFieldOf = (field: string): string => `${field}_parts`;

/** The model's searched field. Throws if it has none. */
function searchedField({ collection, searched }: StoreModel): string {
  if (searched === undefined) throw new TypeError(`${collection} has no searched field`);
  return searched;
}

/** The parts to store with the fields that a write sets. */
export function withParts({ searched }: StoreModel, state: object): Record<string, unknown> {
  const text: unknown = searched === undefined ? undefined : (state as Record<string, unknown>)[searched];
  return typeof text !== 'string' || searched === undefined ? { ...state } : { ...state, [partsFieldOf(searched)]: textParts(text) };
}

/** The order of searched lists. */
export const newestFirst = { created_at: -1, _id: 1 } as const;

/** Finds records by a part, newest first. The second index has only records of earlier versions, which lack parts. */
export const searchIndexes = (field: string): Index[] => [
  [{ org_id: 1, [partsFieldOf(field)]: 1, ...newestFirst }],
  [
    { created_at: 1 },
    { name: `${partsFieldOf(field)}_missing`, partialFilterExpression: { [partsFieldOf(field)]: null, [field]: { $exists: true } } },
  ],
];

/** A part has at most so many characters (code points). */
const partLength = 3;

/** The parts with which each form of a text begins. Earlier versions made parts of texts as they were written. */
const beginningsOf = (text: string) => formsOf(text).map((form) => Array.from(form).slice(0, partLength).join(''));

/**
 * The characters of a text without case, composed. A text that contains another one, whatever the case and form of
 * both, contains it folded, too.
 */
export const folded = (text: string): string[] =>
  Array.from(Array.from(text.normalize('NFC'), (point) => point.toUpperCase().toLowerCase()).join(''));

/**
 * What is indexed of a text: from each of its characters on, up to three. So a search for three characters is equal to
 * a part, and a search for fewer is the beginning of one.
 */
export function textParts(text: string): string[] {
  const points = folded(text);
  return [...new Set(points.map((_, index) => points.slice(index, index + partLength).join('')))];
}

const batchSize = 500;
/** Between two batches, so that other work goes on. */
const pauseMs = 50;

/**
 * Adds the parts that a search needs to records of earlier versions, in small batches; a next call goes on where one
 * broke off. Searches find such records before, too.
 */
export async function fillMissingParts(model: StoreModel): Promise<void> {
  const field = searchedField(model);
  const partsField = partsFieldOf(field);
  const { collection } = rawModel(model);
  for (let filled = 0; ; await pause(pauseMs)) {
    const lacking = { [partsField]: null, [field]: { $exists: true } };
    const found = await answered('find', model, () =>
      collection.find(lacking, { projection: { [field]: 1 }, limit: batchSize, hint: `${partsField}_missing` }).toArray(),
    );
    if (found.length === 0) return;
    // A record whose text has changed meanwhile is read again.
    const writes = found.map(({ _id, [field]: text }) => ({
      updateOne: { filter: { _id, [field]: text, [partsField]: null }, update: { $set: { [partsField]: textParts(String(text)) } } },
    }));
    await answered('bulkWrite', model, () => collection.bulkWrite(writes, { ordered: false }));
    filled += found.length;
    logger.info({ collection: model.collection, filled }, 'records of an earlier version were prepared for searches');
  }
}
