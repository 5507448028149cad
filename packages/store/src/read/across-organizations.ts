import { compiled, type Filter } from './filter.ts';
import { type OrgModel, rawModel, type Stored } from './model.ts';
import { answered } from './store-errors.ts';

/** Whose records are meant: an organization, and the value that tells its records apart. */
export interface Owner {
  readonly org_id: string;
  readonly key: string;
}

/**
 * For what a service does of its own accord with everybody's records (due work, gauges). It tells when and whose, never what is in a record:
 * the work itself goes through `scoped`. Filters need an index of `indexesAcross`.
 */
export const acrossOrganizations = <Doc>(model: OrgModel<Doc>) => {
  type R = Stored<Doc>;
  const raw = () => rawModel(model).collection;
  return {
    /** The least value of a field among the records that match; null where none does. */
    least: async <K extends keyof R & string>(field: K, filter: Filter<R>): Promise<R[K] | null> => {
      const [first] = await answered('find', model, () =>
        raw()
          .find(compiled(filter), { projection: { _id: 0, [field]: 1 }, sort: { [field]: 1 }, limit: 1 })
          .toArray(),
      );
      return (first?.[field] as R[K] | undefined) ?? null;
    },
    /** Each value of `key` that a matching record has, and the organization of the one that is first by `order`. */
    owners: async (key: keyof R & string, order: keyof R & string, filter: Filter<R>): Promise<Owner[]> => {
      const first = { $group: { _id: `$${key}`, org_id: { $first: '$org_id' } } };
      const steps = [{ $match: compiled(filter) }, { $sort: { [key]: 1 as const, [order]: 1 as const } }, first];
      const found = await answered('aggregate', model, () => raw().aggregate<{ _id: string; org_id: string }>(steps).toArray());
      return found.map(({ _id, org_id }) => ({ key: _id, org_id }));
    },
    /** How many match; counting ends at `most`. */
    count: (filter: Filter<R>, most: number): Promise<number> =>
      answered('count', model, () => raw().countDocuments(compiled(filter), { limit: most })),
  };
};
