import type { Filter } from './filter.ts';
import { gathered } from './gather.ts';
import { type OrgModel, rawModel, type Stored } from './model.ts';
import { isOwn, orgOf, type Scope, tenancyFilter } from './scope.ts';
import { projection, type Read, type Reading, scoped } from './scoped.ts';
import { SharedWork } from './shared-work.ts';
import { answered } from './store-errors.ts';

/**
 * Reads records by id; reads of one turn, whosever they are, share one `$in` query. Each is checked against its own caller's
 * organization and user, so that a foreign id is null. `fields` as in `scoped().find`.
 */
export function gatheredById<Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  fields?: readonly K[],
): (scope: Scope, id: string) => Promise<Read<Stored<Doc>, K> | null> {
  const read = gathered<string, Read<Stored<Doc>, K> | null>(async (ids) => {
    const found = await answered('find', model, () =>
      rawModel(model)
        .find({ _id: { $in: [...new Set(ids)] } }, projection(model, fields))
        .lean<Read<Stored<Doc>, K>[]>(),
    );
    const byId = new Map<string, Read<Stored<Doc>, K>>(found.map((record) => [record._id, record]));
    return ids.map((id) => byId.get(id) ?? null);
  });
  return async (scope, id) => {
    const record = await read(id);
    return record !== null && isOwn(model, scope, record) ? record : null;
  };
}

/** Reads all records of an organization; reads of one turn, for whatever organizations, share one query. For collections of few each. */
export function gatheredAll<Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  fields?: readonly K[],
): (scope: Scope) => Promise<readonly Read<Stored<Doc>, K>[]> {
  const read = gathered<string, readonly Read<Stored<Doc>, K>[]>(async (organizations) => {
    const found = await answered('find', model, () =>
      rawModel(model)
        .find({ org_id: { $in: [...new Set(organizations)] } }, projection(model, fields))
        .lean<Read<Stored<Doc>, K>[]>(),
    );
    const byOrganization = Map.groupBy(found, ({ org_id }) => org_id as string);
    return organizations.map((org_id) => byOrganization.get(org_id) ?? []);
  });
  return async (scope) => (await read(orgOf(scope))).filter((record) => isOwn(model, scope, record));
}

/** While others wait for the next count, this many times the last one's duration passes before it starts: counting must not fill the database's day. */
const countRest = 4;

/** Counts an organization's records; equal counts that are asked for at once share one, never one from before the question. */
export function gatheredCount<Doc>(model: OrgModel<Doc>): (scope: Scope, filter: Filter<Stored<Doc>>) => Promise<number> {
  const counts = new SharedWork<number>(countRest);
  return (scope, filter) => counts.ask(JSON.stringify([tenancyFilter(model, scope), filter]), () => scoped(model, scope).count(filter));
}

/** Which records of a list: `limit` of them, after the first `offset`. */
export interface Page {
  limit: number;
  offset: number;
}

/**
 * Reads pages of an organization's records in the order of `sort`, with how many match in all. Equal pages that are asked for at once share
 * one query, never one from before the question.
 */
export function gatheredPage<Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  order: Pick<Reading<Stored<Doc>, K>, 'fields' | 'sort'>,
): (scope: Scope, filter: Filter<Stored<Doc>>, page: Page) => Promise<{ records: readonly Read<Stored<Doc>, K>[]; total: number }> {
  const countOf = gatheredCount(model);
  const pages = new SharedWork<readonly Read<Stored<Doc>, K>[]>();
  return async (scope, filter, { limit, offset }) => {
    const read = () => scoped(model, scope).find(filter, { ...order, skip: offset, limit });
    const [records, total] = await Promise.all([
      pages.ask(JSON.stringify([tenancyFilter(model, scope), filter, limit, offset]), read),
      countOf(scope, filter),
    ]);
    return { records, total };
  };
}
