import { maxOffset } from '@webkiln/contract';
import { Coalescer } from '@webkiln/runtime';
import type { Read, Reading } from '../access.ts';
import { type Filter, type Scope, tenancyFilter } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { cursorAt, type Position, positionOf } from './cursor.ts';
import { KeptTotals } from './kept-totals.ts';
import { readAfter, readAtOffset, type Sorting } from './ordered-reads.ts';

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
