import type { Filter } from './model/scope.ts';
import type { GivenFields, Stored, Tenancy } from './model/stored-record.ts';

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
  /** The index to use, where MongoDB's own choice may read more. */
  hint?: { readonly [S in keyof R]?: 1 | -1 };
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
  /** Adds several such records in one write. Only in a transaction, so that all or none are there. */
  insertAll(records: readonly (Given & { _id: string })[]): Promise<void>;
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
