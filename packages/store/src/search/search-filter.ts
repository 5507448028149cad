import { containing, type Filter, startingWith, where } from '../model/filter.ts';
import { orgOf, type Scope, userOf } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { scoped } from '../scoped.ts';
import { newestFirst, partsFieldOf, searchedField } from './searched-field.ts';
import { folded, partLength } from './text-parts.ts';

/** So many parts of a search are tried. They are counted so far, and further if all have more. */
const maxTried = 6;
const maxCounted = 2_000;
const countedFurther = [8_000, 32_000];
/** So many of the newest records with a part are looked at; a page is soon full if half of them match. */
const sampled = 50;

type Parts = Record<string, string | null>;

/**
 * The records whose searched field contains a text in any case. The index finds those that have the rarest part of the
 * text, in the order of the list; these are compared. Records of earlier versions without parts are compared all.
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
      return { [partsField]: where({ $in: [part, null] }) };
    }
    // A text that many records contain is found sooner by reading the list itself.
    const starting = { [partsField]: startingWith(points.join('')) };
    const [matching, incomplete] = await Promise.all([count(starting, maxCounted), count({ [partsField]: null }, 1)]);
    return matching < maxCounted && incomplete === 0 ? starting : {};
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
