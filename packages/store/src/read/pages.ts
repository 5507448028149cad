import { maxOffset } from '@webkiln/contract';
import { Coalescer } from '@webkiln/runtime';
import type { Read, Reading } from '../access.ts';
import { rawModel } from '../model/models.ts';
import { compiled, type Filter, type Scope, tenancyFilter, timeLimit } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { matching, projection, scoped } from '../scoped.ts';
import { cursorAt, type Position, positionOf } from './cursor.ts';
import { KeptTotals } from './kept-totals.ts';

/**
 * Part of a list: `limit` records after the one that `cursor` names; without one, after the first `offset`, of which at
 * most `maxOffset` are skipped.
 */
export interface Page {
  limit: number;
  offset: number;
  cursor?: string | undefined;
}

/** The same of a list that is returned whole unless the request names a limit. */
export type WholePage = Omit<Page, 'limit'> & Partial<Page>;

export interface PageOf<R> {
  readonly records: readonly R[];
  /** Exact up to `maxExactTotal`; a larger one as `KeptTotals` says, but at least what this page shows to exist. */
  readonly total: number;
  /** Names the last record to the request for the next page; empty on the last page. */
  readonly next_cursor: string;
}

/**
 * Reads pages of an organization's records in the order of `sort`, which ends with a unique field and is served by an
 * index. A page after a cursor costs the same at any depth. Equal pages at the same time share one query, which starts
 * after the call.
 */
export function coalescedPage<Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  order: Pick<Reading<Stored<Doc>, K>, 'fields'> & { readonly sort: Sorting<Stored<Doc>> },
): (scope: Scope, filter: Filter<Stored<Doc>>, page: Page) => Promise<PageOf<Read<Stored<Doc>, K>>> {
  type R = Read<Stored<Doc>, K>;
  const totals = new KeptTotals(model);
  const pages = new Coalescer<readonly R[]>();
  const sorted = Object.keys(order.sort);
  return async (scope, filter, { limit, offset: wanted, cursor }) => {
    const start: Position | null = cursor === undefined ? null : positionOf(cursor, sorted.length);
    const offset = start === null ? Math.min(wanted, maxOffset) : wanted;
    // One record more tells whether there is a next page.
    const read = () =>
      start === null
        ? readAtOffset(model, scope, filter, order, { offset, limit: limit + 1 })
        : readAfter(model, scope, filter, order, { start, limit: limit + 1 });
    const found = await pages.ask(JSON.stringify([tenancyFilter(model, scope), filter, limit, start ?? offset]), read);
    const records = found.slice(0, limit);
    const hasNext = found.length > limit;
    const isWhole = start === null && !hasNext && (offset === 0 || records.length > 0);
    const shown = (start === null && records.length === 0 ? 0 : offset) + found.length;
    const total = isWhole ? shown : Math.max(await totals.of(scope, filter), hasNext ? shown : 0);
    return { records, total, next_cursor: hasNext ? cursorAt(records.at(-1) as object, sorted) : '' };
  };
}

/** The sorted fields of a list in order; the last one is unique. */
type Sorting<R> = { readonly [S in keyof R]?: 1 | -1 };

interface Order<R, K extends keyof R> extends Pick<Reading<R, K>, 'fields'> {
  readonly sort: Sorting<R>;
}

/** Beyond this offset the records that are skipped are counted in the index, and only those of the page are read. */
const maxRecordsSkipped = 200;

/** The records at an offset; the cost grows with it, by an index entry per record that is skipped. */
async function readAtOffset<Doc, K extends keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  scope: Scope,
  filter: Filter<Stored<Doc>>,
  order: Order<Stored<Doc>, K>,
  { offset: skip, limit }: { offset: number; limit: number },
): Promise<Read<Stored<Doc>, K>[]> {
  if (skip <= maxRecordsSkipped) return scoped(model, scope).find(filter, { ...order, skip, limit });
  const keys = { _id: 1, ...Object.fromEntries(Object.keys(order.sort).map((field) => [field, 1])) } as const;
  const query = { ...compiled(filter), ...tenancyFilter(model, scope) };
  const places = await matching('find', model, [], () =>
    rawModel(model)
      .find(query, keys, { sort: order.sort as Record<string, 1 | -1>, skip, limit, ...timeLimit(scope) })
      .lean<{ _id: string }[]>(),
  );
  const ids = places.map(({ _id }) => _id);
  const found = await matching('find', model, [], () =>
    rawModel(model)
      .find({ _id: { $in: ids }, ...tenancyFilter(model, scope) }, projection(model, order.fields), timeLimit(scope))
      .lean<Read<Stored<Doc>, K>[]>(),
  );
  const byId = new Map(found.map((record) => [record._id as string, record]));
  return ids.map((id) => byId.get(id)).filter((record) => record !== undefined);
}

/**
 * The records after a place in the order. It asks for those that equal the place in all sorted fields but the last,
 * then for those that equal it in one field less. Each is one range of the index; the first ones are short.
 */
async function readAfter<Doc, K extends keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  scope: Scope,
  filter: Filter<Stored<Doc>>,
  { fields, sort }: Order<Stored<Doc>, K>,
  { start, limit }: { start: Position; limit: number },
): Promise<Read<Stored<Doc>, K>[]> {
  const found: Read<Stored<Doc>, K>[] = [];
  const sorted = Object.entries(sort as Record<string, 1 | -1>);
  for (let depth = sorted.length - 1; depth >= 0 && found.length < limit; depth--) {
    const range = sorted.slice(0, depth + 1).map(([field, direction], index) => {
      const operator = index < depth ? '$eq' : direction === 1 ? '$gt' : '$lt';
      return { [field]: { [operator]: start[index] } };
    });
    const query = { $and: [compiled(filter), ...range, tenancyFilter(model, scope)] };
    const options = { sort: Object.fromEntries(sorted), limit: limit - found.length, ...timeLimit(scope) };
    const next = () => rawModel(model).find(query, projection(model, fields), options).lean<Read<Stored<Doc>, K>[]>();
    found.push(...(await matching('find', model, [], next)));
  }
  return found;
}
