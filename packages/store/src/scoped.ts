import { batched } from '@webkiln/runtime';
import mongoose, { type UpdateQuery } from 'mongoose';
import type { Access, Read, Reading, Update } from './access.ts';
import { database } from './connection.ts';
import { projectModels, rawModel } from './model/models.ts';
import {
  compiled,
  type Filter,
  firstFields,
  firstFieldsOf,
  isOwn,
  orgOf,
  type Scope,
  type Session,
  sessionOf,
  type Tenant,
  tenancyFilter,
  timeLimit,
} from './model/scope.ts';
import type { GivenFields, GlobalModel, OrgModel, Stored, StoreModel, Tenancy } from './model/stored-record.ts';
import { answered } from './store-errors.ts';
import { deleteInBatches } from './write/delete-in-batches.ts';
import { assertNotErased, isOfErased } from './write/erased-organizations.ts';

/** The records of one organization: every filter and every insert has its org_id. */
export const scoped = <Doc>(model: OrgModel<Doc>, scope: Scope): Access<Doc, 'organization'> => access(model, scope);

/** The records of a collection across organizations. */
export const unscoped = <Doc>(model: GlobalModel<Doc>, session?: Session): Access<Doc, 'global'> => access(model, { org_id: '', session });

/** The MongoDB projection of field names, with the organization and the owner; never with the outbox. */
export function projection({ ownedBy }: StoreModel, fields?: readonly PropertyKey[]): Record<string, 0 | 1> {
  if (fields === undefined) return { outbox: 0 };
  return Object.fromEntries(
    [...fields.map(String), 'org_id', 'revision', ...(ownedBy === undefined ? [] : [ownedBy])].map((field) => [field, 1]),
  );
}

function access<Doc, T extends Tenancy>(model: StoreModel, scope: Scope): Access<Doc, T> {
  type R = Stored<Doc, T>;
  const raw = rawModel(model);
  const tenancy = tenancyFilter(model, scope);
  const session = sessionOf(scope);
  const own = (filter: Filter<R>) => ({ ...compiled(filter), ...tenancy });
  const changed = (update: Update<GivenFields<Doc, T>>) => update as UpdateQuery<Record<string, unknown>>;

  return {
    find: async <K extends keyof R>(filter: Filter<R>, { fields, ...reading }: Reading<R, K> = {}) =>
      matching('find', model, [], () =>
        raw.find(own(filter), projection(model, fields), { ...reading, session, ...timeLimit(scope) }).lean<Read<R, K>[]>(),
      ),
    findOne: async <K extends keyof R>(filter: Filter<R>, { fields, sort }: Pick<Reading<R, K>, 'fields' | 'sort'> = {}) =>
      matching('findOne', model, null, () =>
        raw.findOne(own(filter), projection(model, fields), { sort, session, ...timeLimit(scope) }).lean<Read<R, K>>(),
      ),
    count: async (filter, max) =>
      matching('count', model, 0, () =>
        raw.countDocuments(own(filter), { session, ...timeLimit(scope), ...(max !== undefined && { limit: max }) }),
      ),
    insert: async (record) => {
      await assertNotErased(model, scope, record);
      await answered('insert', model, () => raw.insertOne({ ...record, ...firstFields(model, scope) }, { session }));
    },
    insertAll: async (records) => {
      if (session === undefined) throw new TypeError('records are inserted together in a transaction');
      await Promise.all(records.map((record) => assertNotErased(model, scope, record)));
      const rows = records.map((record) => ({ ...record, ...firstFields(model, scope) }));
      if (rows.length > 0) await answered('insertMany', model, () => raw.insertMany(rows, { session }));
    },
    updateOne: async (filter, update, { upsert = false } = {}) => {
      // Nobody waits for such a record: most upserts are background work, which goes on with other organizations.
      const canAdd = upsert && !(await isOfErased(model, scope, { ...update.$set, ...update.$setOnInsert }));
      const added = canAdd ? { $setOnInsert: { ...update.$setOnInsert, ...firstFieldsOf(model) } } : {};
      return answered('update', model, () =>
        raw.updateOne(own(filter), { ...changed(update), ...added }, { session, upsert: canAdd, runValidators: true }),
      );
    },
    updateMany: async (filter, update) =>
      answered('updateMany', model, () => raw.updateMany(own(filter), changed(update), { session, runValidators: true })),
    updateEach: async (changes) => {
      const writes = changes.map(([filter, update]) => ({ updateOne: { filter: own(filter), update: changed(update) } }));
      if (writes.length > 0) await answered('bulkWrite', model, () => raw.bulkWrite(writes, { ordered: false, session }));
    },
    deleteOne: async (filter) => answered('delete', model, () => raw.deleteOne(own(filter), { session })),
    deleteMany: async (filter) =>
      session === undefined
        ? deleteInBatches(model, own(filter))
        : answered('deleteMany', model, () => raw.deleteMany(own(filter), { session })),
  };
}

/** For reads: a value of another type than the field's matches nothing. */
export async function matching<T>(name: string, model: StoreModel, nothing: T, operation: () => Promise<T>): Promise<T> {
  try {
    return await answered(name, model, operation);
  } catch (error) {
    if (error instanceof mongoose.Error.CastError) return nothing;
    throw error;
  }
}

/** A filter of texts needs nothing of mongoose but upgrades, and costs half without it. */
function readAll<R>(
  model: StoreModel,
  filter: Record<string, { $in: string[] }>,
  shown: Record<string, 0 | 1>,
  options: { hint?: Record<string, 1> } = {},
): Promise<R[]> {
  const bounded = { ...options, ...timeLimit() };
  if (model.upgrades !== undefined) return rawModel(model).find(filter, shown, bounded).lean<R[]>().exec();
  const documents = database().collection<Record<string, unknown>>(model.collection);
  return documents.find(filter as object, { projection: shown, ...bounded }).toArray() as Promise<unknown> as Promise<R[]>;
}

/** Finds records across organizations by the texts of a field that has an index; `fields` as in `scoped().find`. */
export const recordsBy = <Doc, K extends keyof Stored<Doc, 'global'> & string>(
  model: GlobalModel<Doc>,
  field: K,
  fields: readonly K[],
): ((values: readonly string[]) => Promise<Read<Stored<Doc, 'global'>, K>[]>) => {
  const shown = projection(model, [...fields, field]);
  return (values) => answered('find', model, () => readAll(model, { [field]: { $in: distinct(values) } }, shown, { hint: { [field]: 1 } }));
};

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/**
 * Reads records by id. Reads of one event-loop tick share one `$in` query, across callers. Each result is checked
 * against its caller's organization and user: a foreign id returns null. `fields` as in `scoped().find`.
 */
export const batchedById = <Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(model: OrgModel<Doc>, fields?: readonly K[]) =>
  // Without the hint MongoDB may read all that an organization has.
  batchedReads(model, '_id', fields, { hint: { _id: 1 } });

/** MongoDB may look up each value in each organization of a batch. */
const maxSharedReads = 32;

/** The same by another text that is unique within its organization. There is an index of `org_id` and this field. */
export const batchedBy = <Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  field: keyof Stored<Doc> & string,
  fields?: readonly K[],
) => batchedReads(model, field, fields, { hint: { org_id: 1, [field]: 1 } }, { maxBatchSize: maxSharedReads });

function batchedReads<Doc, K extends keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  field: keyof Stored<Doc> & string,
  fields: readonly K[] | undefined,
  options: { readonly hint: Record<string, 1> },
  limits: { readonly maxBatchSize?: number } = {},
): (scope: Scope, value: string) => Promise<Read<Stored<Doc>, K> | null> {
  type Found = Read<Stored<Doc>, K>;
  const shown = projection(model, fields && [...fields, field]);
  const read = batched<{ value: string; org_id: string }, Found | null>(async (asked) => {
    // The organizations say which shards to ask.
    const filter = {
      [field]: { $in: distinct(asked.map(({ value }) => value)) },
      org_id: { $in: distinct(asked.map(({ org_id }) => org_id)) },
    };
    const found = await answered('find', model, () => readAll<Found>(model, filter, shown, options));
    const keyOf = (org_id: unknown, value: unknown) => `${org_id} ${value}`;
    const byKey = new Map(found.map((record) => [keyOf(record.org_id, (record as Record<string, unknown>)[field]), record]));
    return asked.map(({ org_id, value }) => byKey.get(keyOf(org_id, value)) ?? null);
  }, limits);
  return async (scope, value) => {
    const record = await read({ value, org_id: orgOf(scope) });
    return record !== null && isOwn(model, scope, record) ? record : null;
  };
}

/**
 * Reads all records of an organization. Reads of one event-loop tick, and those that come while a query runs, share one
 * query, across organizations. For small collections.
 */
export function batchedAll<Doc, K extends keyof Stored<Doc> = keyof Stored<Doc>>(
  model: OrgModel<Doc>,
  fields?: readonly K[],
): (scope: Scope) => Promise<readonly Read<Stored<Doc>, K>[]> {
  const run = async (organizations: readonly string[]) => {
    const found = await answered('find', model, () =>
      readAll<Read<Stored<Doc>, K>>(model, { org_id: { $in: distinct(organizations) } }, projection(model, fields)),
    );
    const byOrganization = Map.groupBy(found, ({ org_id }) => org_id as string);
    return organizations.map((org_id) => byOrganization.get(org_id) ?? []);
  };
  const read = batched<string, readonly Read<Stored<Doc>, K>[]>(run, { maxInFlight: 1 });
  return async (scope) => (await read(orgOf(scope))).filter((record) => isOwn(model, scope, record));
}

/**
 * Deletes the records of a project from each of the service's collections that say `ofProject`. Safe to repeat and to
 * interrupt; without a session it deletes them in batches.
 */
export async function deleteOfProject({ org_id, session }: Tenant, projectId: string): Promise<void> {
  const tenant: Tenant = { org_id, ...(session !== undefined && { session }) };
  for (const [model, field] of projectModels()) await scoped(model, tenant).deleteMany({ [field]: projectId } as never);
}
