import type mongoose from 'mongoose';
import { compiled, type Filter } from '../model/filter.ts';
import { rawModel } from '../model/raw-model.ts';
import { type Scope, tenancyFilter } from '../model/scope.ts';
import type { ModelOf, Stored, Tenancy } from '../model/stored-record.ts';
import { answered } from '../store-errors.ts';

/** The records that share a limit, and the field with their numbered places. */
export interface PlaceIndex<Doc, T extends Tenancy> {
  readonly model: ModelOf<Doc, T>;
  readonly scope: Scope;
  /** Besides the scope's organization. */
  readonly within: Filter<Stored<Doc, T>>;
  /** Null or absent in records without a place. A unique index over `within` and this field makes limits exact. */
  readonly field: keyof Stored<Doc, T> & string;
}

/** The index of `field` for `defineModel`: within an organization, or within `by` in it. */
export const placeIndex = (field: string, by?: string) =>
  [
    { org_id: 1, ...(by !== undefined && { [by]: 1 }), [field]: 1 } as Readonly<Record<string, 1>>,
    { name: `${field}_taken`, unique: true, partialFilterExpression: { [field]: { $gte: 0 } } },
  ] as const;

/** The taken places. Every query is answered from the unique index alone. */
export class TakenPlaces {
  /** The same for equal indexes. */
  readonly key: string;
  readonly #model: ModelOf<unknown, Tenancy>;
  readonly #filter: Record<string, object>;
  readonly #field: string;

  constructor({ model, scope, within, field }: { model: ModelOf<never, Tenancy>; scope: Scope; within: Filter<never>; field: string }) {
    this.#model = model as ModelOf<unknown, Tenancy>;
    this.#filter = { ...tenancyFilter(this.#model, scope), ...compiled(within) };
    this.#field = field;
    this.key = JSON.stringify([model.collection, field, this.#filter]);
  }

  /** The number of taken places from `from` on, up to `to` (exclusive). */
  count(from: number, to?: number): Promise<number> {
    return answered('count', this.#model, () => this.#rows().countDocuments(this.#between(from, to), { hint: `${this.#field}_taken` }));
  }

  /** The taken places from `from` to `to` (exclusive). */
  async read(from: number, to: number): Promise<number[]> {
    const projection = { _id: 0, [this.#field]: 1 };
    const found = await answered('find', this.#model, () => this.#rows().find(this.#between(from, to), { projection }).toArray());
    return found.map((record) => record[this.#field]);
  }

  #rows(): mongoose.mongo.Collection {
    return rawModel(this.#model).collection as unknown as mongoose.mongo.Collection;
  }

  #between(from: number, to?: number) {
    return { ...this.#filter, [this.#field]: { $gte: from, ...(to !== undefined && { $lt: to }) } };
  }
}
