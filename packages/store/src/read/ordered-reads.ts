import type { Read, Reading } from '../access.ts';
import { rawModel } from '../model/models.ts';
import { compiled, type Filter, type Scope, tenancyFilter, timeLimit } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { matching, projection, scoped } from '../scoped.ts';
import type { Position } from './cursor.ts';

/** The sorted fields of a list in order; the last one is unique. */
export type Sorting<R> = { readonly [S in keyof R]?: 1 | -1 };

interface Order<R, K extends keyof R> extends Pick<Reading<R, K>, 'fields'> {
  readonly sort: Sorting<R>;
}

/** Beyond this offset the records that are skipped are counted in the index, and only those of the page are read. */
const maxRecordsSkipped = 200;

/** The records at an offset; the cost grows with it, by an index entry per record that is skipped. */
export async function readAtOffset<Doc, K extends keyof Stored<Doc>>(
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
export async function readAfter<Doc, K extends keyof Stored<Doc>>(
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
