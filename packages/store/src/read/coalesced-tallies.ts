import { Coalescer } from '@webkiln/runtime';
import { rawModel } from '../model/models.ts';
import { compiled, type Filter, type Scope, tenancyFilter, timeLimit } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

/** The number of records with these values, and the greatest value of one more field among them. */
interface Tally<R, By extends keyof R, Last extends keyof R> {
  readonly values: Pick<R, By>;
  readonly count: number;
  readonly last: R[Last];
}

/**
 * Counts an organization's records by the values of some fields: at most `limit` groups, the most recent first. Equal
 * calls at the same time share one query, which starts after the call. An index with all of the fields covers the
 * query.
 */
export function coalescedTally<Doc, By extends keyof Stored<Doc> & string, Last extends keyof Stored<Doc> & string>(
  model: OrgModel<Doc>,
  { by, last, limit }: { by: readonly By[]; last: Last; limit: number },
): (scope: Scope, filter: Filter<Stored<Doc>>) => Promise<readonly Tally<Stored<Doc>, By, Last>[]> {
  const tallies = new Coalescer<readonly Tally<Stored<Doc>, By, Last>[]>();
  const values = Object.fromEntries(by.map((field) => [field, `$${field}`]));
  const read = (scope: Scope, filter: Filter<Stored<Doc>>) =>
    answered('aggregate', model, () =>
      rawModel(model)
        .collection.aggregate<Tally<Stored<Doc>, By, Last>>(
          [
            { $match: { ...compiled(filter), ...tenancyFilter(model, scope) } },
            { $group: { _id: values, count: { $sum: 1 }, last: { $max: `$${last}` } } },
            { $sort: { last: -1, _id: 1 } },
            { $limit: limit },
            { $project: { _id: 0, values: '$_id', count: 1, last: 1 } },
          ],
          timeLimit(scope),
        )
        .toArray(),
    );
  return (scope, filter) => tallies.ask(JSON.stringify([tenancyFilter(model, scope), filter]), () => read(scope, filter));
}
