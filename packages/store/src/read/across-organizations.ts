import { rawModel } from '../model/models.ts';
import { compiled, type Filter, timeLimit } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

/** One group of records: their organization, and the value of the grouping field. */
export interface Owner {
  readonly org_id: string;
  readonly key: string;
}

/**
 * Queries over all organizations, for a service's own background work (due work, gauges). They return times, ids and
 * counts, never the content of a record: the work itself goes through `scoped`. Filters need an index of
 * `indexesAcross`.
 */
export const acrossOrganizations = <Doc>(model: OrgModel<Doc>) => {
  type R = Stored<Doc>;
  const raw = () => rawModel(model).collection;
  return {
    /** The smallest value of a field among the matching records; null if none matches. */
    least: async <K extends keyof R & string>(field: K, filter: Filter<R>): Promise<R[K] | null> => {
      const [first] = await answered('find', model, () =>
        raw()
          .find(compiled(filter), { projection: { _id: 0, [field]: 1 }, sort: { [field]: 1 }, limit: 1, ...timeLimit() })
          .toArray(),
      );
      return (first?.[field] as R[K] | undefined) ?? null;
    },
    /**
     * Each value of `key` among the matching records, with the organization of the first of them by `order`. With a
     * `limit` among that many of them.
     */
    owners: async (key: keyof R & string, order: keyof R & string, filter: Filter<R>, limit?: number): Promise<Owner[]> => {
      const first = { $group: { _id: `$${key}`, org_id: { $first: '$org_id' } } };
      const some = limit === undefined ? [] : [{ $limit: limit }];
      const steps = [{ $match: compiled(filter) }, ...some, { $sort: { [key]: 1 as const, [order]: 1 as const } }, first];
      const found = await answered('aggregate', model, () =>
        raw().aggregate<{ _id: string; org_id: string }>(steps, timeLimit()).toArray(),
      );
      return found.map(({ _id, org_id }) => ({ key: _id, org_id }));
    },
    /** The number of matching records; counting ends at `max`. */
    count: (filter: Filter<R>, max: number): Promise<number> =>
      answered('count', model, () => raw().countDocuments(compiled(filter), { limit: max, ...timeLimit() })),
  };
};
