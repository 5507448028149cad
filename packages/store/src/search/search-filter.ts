import { containing, type Filter, startingWith, where } from '../model/filter.ts';
import { orgOf, type Scope, userOf } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { scoped } from '../scoped.ts';
import { partsFieldOf, searchedField } from './searched-field.ts';
import { folded, partLength } from './text-parts.ts';

/** So many parts of a search are tried, and each is counted so far, to find the one that the fewest records have. */
const maxTried = 6;
const maxCounted = 2_000;

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
    const count = (filter: Filter<Parts>, max: number) =>
      scoped(model as OrgModel<Parts>, { org_id: orgOf(scope) }).count(filter as Filter<Stored<Parts>>, max);
    const points = folded(text);
    if (points.length >= partLength) return { [partsField]: where({ $in: [await rarestPart(points, partsField, count), null] }) };
    // What many records contain is found sooner by reading the list itself.
    const starting = { [partsField]: startingWith(points.join('')) };
    const [matching, incomplete] = await Promise.all([count(starting, maxCounted), count({ [partsField]: null }, 1)]);
    return matching < maxCounted && incomplete === 0 ? starting : {};
  };
  return { [field]: containing(text), ...(await condition()) } as Filter<Stored<Doc>>;
}

async function rarestPart(
  points: readonly string[],
  partsField: string,
  count: (filter: Filter<Parts>, max: number) => Promise<number>,
): Promise<string> {
  const all = Array.from({ length: points.length - partLength + 1 }, (_, index) => points.slice(index, index + partLength).join(''));
  const step = Math.max(1, (all.length - 1) / (maxTried - 1));
  const tried = [...new Set(all.filter((_, index) => index === Math.round(Math.round(index / step) * step)))];
  if (tried.length === 1) return tried[0] as string;
  const counts = await Promise.all(tried.map((part) => count({ [partsField]: part }, maxCounted)));
  return tried[counts.indexOf(Math.min(...counts))] as string;
}
