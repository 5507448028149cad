import { batched } from '@webkiln/runtime';
import type { Read } from '../access.ts';
import { rawModel } from '../model/raw-model.ts';
import { isOwn, orgOf, type Scope } from '../model/scope.ts';
import type { OrgModel, Stored } from '../model/stored-record.ts';
import { projection } from '../scoped.ts';
import { answered } from '../store-errors.ts';
import { timeLimit } from './time-limit.ts';

/**
 * Reads records by id. Reads of one event-loop tick share one `$in` query, across callers. Each result is checked
 * against its caller's organization and user: a foreign id returns null. `fields` as in `scoped().find`.
 */
export function batchedById<Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  fields?: readonly K[],
): (scope: Scope, id: string) => Promise<Read<Stored<Doc>, K> | null> {
  const read = batched<string, Read<Stored<Doc>, K> | null>(async (ids) => {
    const found = await answered('find', model, () =>
      rawModel(model)
        .find({ _id: { $in: [...new Set(ids)] } }, projection(model, fields), timeLimit())
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

/**
 * Reads all records of an organization. Reads of one event-loop tick share one query, across organizations. For small
 * collections.
 */
export function batchedAll<Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  fields?: readonly K[],
): (scope: Scope) => Promise<readonly Read<Stored<Doc>, K>[]> {
  const read = batched<string, readonly Read<Stored<Doc>, K>[]>(async (organizations) => {
    const found = await answered('find', model, () =>
      rawModel(model)
        .find({ org_id: { $in: [...new Set(organizations)] } }, projection(model, fields), timeLimit())
        .lean<Read<Stored<Doc>, K>[]>(),
    );
    const byOrganization = Map.groupBy(found, ({ org_id }) => org_id as string);
    return organizations.map((org_id) => byOrganization.get(org_id) ?? []);
  });
  return async (scope) => (await read(orgOf(scope))).filter((record) => isOwn(model, scope, record));
}
