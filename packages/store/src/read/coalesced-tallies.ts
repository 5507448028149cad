import { compiled, type Filter } from './filter.ts';
import { type OrgModel, rawModel, type Stored } from './model.ts';
import { type Scope, tenancyFilter } from './scope.ts';
import { SharedWork } from './shared-work.ts';
import { answered } from './store-errors.ts';

/** How many records have these values, and the greatest that they have in one more field. */
interface Tally<R, By extends keyof R, Last extends keyof R> {
  readonly values: Pick<R, By>;
  readonly count: number;
  readonly last: R[Last];
}

/** Between one tally that is waited for and the next: tallying must not fill the database's day. */
const tallyRest = 4;

/**
 * Counts an organization's records by the values of some fields, those values first that were last met, at most `limit` of them. Equal tallies
 * that are asked for at once share one, never one from before the question. An index with all of the fields answers without a record.
 */
export function gatheredTally<Doc, By extends keyof Stored<Doc> & string, Last extends keyof Stored<Doc> & string>(
  model: OrgModel<Doc>,
  { by, last, limit }: { by: readonly By[]; last: Last; limit: number },
): (scope: Scope, filter: Filter<Stored<Doc>>) => Promise<readonly Tally<Stored<Doc>, By, Last>[]> {
  const tallies = new SharedWork<readonly Tally<Stored<Doc>, By, Last>[]>(tallyRest);
  const values = Object.fromEntries(by.map((field) => [field, `$${field}`]));
  const read = (scope: Scope, filter: Filter<Stored<Doc>>) =>
    answered('aggregate', model, () =>
      rawModel(model)
        .collection.aggregate<Tally<Stored<Doc>, By, Last>>([
          { $match: { ...compiled(filter), ...tenancyFilter(model, scope) } },
          { $group: { _id: values, count: { $sum: 1 }, last: { $max: `$${last}` } } },
          { $sort: { last: -1, _id: 1 } },
          { $limit: limit },
          { $project: { _id: 0, values: '$_id', count: 1, last: 1 } },
        ])
        .toArray(),
    );
  return (scope, filter) => tallies.ask(JSON.stringify([tenancyFilter(model, scope), filter]), () => read(scope, filter));
}
