import mongoose, { type UpdateQuery } from 'mongoose';
import { compiled, type Filter } from './model/filter.ts';
import { rawModel } from './model/model.ts';
import { firstFields, type Scope, type Session, sessionOf, tenancyFilter } from './model/scope.ts';
import type { GivenFields, GlobalModel, OrgModel, Stored, StoreModel, Tenancy } from './model/stored-record.ts';
import { answered } from './store-errors.ts';
import { deleteInBatches } from './write/delete-in-batches.ts';

export type Numbers<R> = { [K in keyof R as NonNullable<R[K]> extends number ? K : never]?: number };
type Elements<R> = {
  [K in keyof R as NonNullable<R[K]> extends readonly unknown[] ? K : never]?: NonNullable<R[K]> extends readonly (infer E)[] ? E : never;
};

/** A change without an event. The store's own fields are out of reach: `saveChange` counts revisions. */
export interface Update<Given> {
  $set?: Partial<Given>;
  $setOnInsert?: Partial<Given>;
  $unset?: { [K in keyof Given]?: true };
  $inc?: Numbers<Given>;
  $max?: Partial<Given>;
  $push?: Elements<Given>;
  $addToSet?: Elements<Given>;
  $pull?: Elements<Given>;
}

export interface Reading<R, K extends keyof R> {
  /** The fields to read besides `_id`, `org_id` and `revision`; all when absent. */
  fields?: readonly K[];
  sort?: { readonly [S in keyof R]?: 1 | -1 };
  skip?: number;
  limit?: number;
}

/** A record with the fields that were read. */
export type Read<R, K extends keyof R> = Pick<R, K | (keyof R & ('_id' | 'org_id' | 'revision'))>;

export interface Access<Doc, T extends Tenancy, R = Stored<Doc, T>, Given = GivenFields<Doc, T>> {
  find<K extends keyof R = keyof R>(filter: Filter<R>, reading?: Reading<R, K>): Promise<Read<R, K>[]>;
  findOne<K extends keyof R = keyof R>(filter: Filter<R>, reading?: Pick<Reading<R, K>, 'fields' | 'sort'>): Promise<Read<R, K> | null>;
  /** The number of matching records; counting ends at `max`. */
  count(filter: Filter<R>, max?: number): Promise<number>;
  /** Adds a record that raises no event; its revision is 1. */
  insert(record: Given & { _id: string }): Promise<void>;
  updateOne(
    filter: Filter<R>,
    update: Update<Given>,
    options?: { upsert?: boolean },
  ): Promise<{ matchedCount: number; upsertedCount: number }>;
  updateMany(filter: Filter<R>, update: Update<Given>): Promise<{ matchedCount: number }>;
  /** Several changes in one write, in any order. */
  updateEach(changes: readonly (readonly [Filter<R>, Update<Given>])[]): Promise<void>;
  deleteOne(filter: Filter<R>): Promise<{ deletedCount: number }>;
  /** In batches with pauses between, unless in a transaction: a call that breaks off is continued by the next one. */
  deleteMany(filter: Filter<R>): Promise<{ deletedCount: number }>;
}

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
      matching('find', model, [], () => raw.find(own(filter), projection(model, fields), { ...reading, session }).lean<Read<R, K>[]>()),
    findOne: async <K extends keyof R>(filter: Filter<R>, { fields, sort }: Pick<Reading<R, K>, 'fields' | 'sort'> = {}) =>
      matching('findOne', model, null, () => raw.findOne(own(filter), projection(model, fields), { sort, session }).lean<Read<R, K>>()),
    count: async (filter, max) =>
      matching('count', model, 0, () => raw.countDocuments(own(filter), { session, ...(max !== undefined && { limit: max }) })),
    insert: async (record) => {
      await answered('insert', model, () => raw.insertOne({ ...record, ...firstFields(model, scope) }, { session }));
    },
    updateOne: async (filter, update, { upsert = false } = {}) => {
      const added = upsert ? { $setOnInsert: { ...update.$setOnInsert, revision: 1 } } : {};
      return answered('update', model, () =>
        raw.updateOne(own(filter), { ...changed(update), ...added }, { session, upsert, runValidators: true }),
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
