import type { EventType, RaisedEvent } from '@webkiln/contract';
import mongoose, { type SchemaDefinitionProperty } from 'mongoose';
import { type Index, registerIndexes } from './indexes.ts';

/** What every record has. `revision` counts its changes, from 1. */
export interface RecordFields {
  _id: string;
  revision: number;
}

export interface OrgFields extends RecordFields {
  org_id: string;
}

/** An event waiting in its record until the stream has it. `timestamp` is ISO 8601. */
export interface OutboxEntry {
  id: string;
  type: EventType;
  timestamp: string;
  data: RaisedEvent['data'];
  traceparent?: string;
}

/** As it is kept: the data as JSON, since names in it may be visitors', and "$ref" or "toObject" means something to what stores documents. */
export type KeptEntry = Omit<OutboxEntry, 'data'> & { data: string };

export type Tenancy = 'organization' | 'global';

/** The fields that the store itself keeps. */
export type KeptFields<T extends Tenancy> = T extends 'organization' ? OrgFields : RecordFields;
/** The fields that a collection's users give. */
export type GivenFields<Doc, T extends Tenancy> = Omit<Doc, keyof KeptFields<T>>;
/** A record as it is read. */
export type Stored<Doc, T extends Tenancy = 'organization'> = Doc & KeptFields<T>;
export type GlobalStored<Doc> = Stored<Doc, 'global'>;

declare const shape: unique symbol;

/** A handle without methods: `scoped`, `unscoped` and the changes are the only ways in. */
export interface ModelOf<Doc, T extends Tenancy> {
  readonly collection: string;
  readonly tenancy: T;
  /** The field that holds whose a record is: see `Tenant`. */
  readonly ownedBy?: string | undefined;
  readonly [shape]?: Doc;
}

/** A collection of organizations' records: no call on it goes without its tenant. */
export type OrgModel<Doc> = ModelOf<Doc, 'organization'>;
/** A collection that belongs to no organization. */
export type GlobalModel<Doc> = ModelOf<Doc, 'global'>;
export type StoreModel = ModelOf<unknown, Tenancy>;

type Definition<Given> = { readonly [K in keyof Given]-?: SchemaDefinitionProperty };
type RawModel = mongoose.Model<Record<string, unknown>>;

const rawModels = new WeakMap<StoreModel, RawModel>();

/** The relay's index: only records with a waiting event are in it, oldest event first. */
const outboxIndex: Index = [
  { 'outbox.timestamp': 1 },
  { name: 'outbox_waiting', partialFilterExpression: { 'outbox.timestamp': { $exists: true } } },
];

interface Indexes<Given> {
  /** All start with org_id. */
  readonly indexes?: readonly Index[];
  /** For what the service itself does to everybody's records (expiry, due work), named so that each is a decision. */
  readonly indexesAcross?: readonly Index[];
  /** The field with the user whose a record is: a client's user reaches no other records of the collection. */
  readonly ownedBy?: keyof Given & string;
}

/** A collection of organizations' records; unknown fields are refused on write. */
export function defineModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'organization'>>,
  { indexes = [], indexesAcross = [], ownedBy }: Indexes<GivenFields<Doc, 'organization'>> = {},
): OrgModel<Doc> {
  for (const [fields] of indexes) {
    if (Object.keys(fields)[0] !== 'org_id') throw new TypeError(`${collection}: an index that does not start with org_id`);
  }
  return define(
    collection,
    'organization',
    { ...definition, org_id: { type: String, required: true } },
    [...indexes, ...indexesAcross],
    ownedBy,
  );
}

/** A collection across organizations; say at each use why it must be one. */
export function defineGlobalModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'global'>>,
  { indexes = [] }: { indexes?: readonly Index[] } = {},
): GlobalModel<Doc> {
  return define(collection, 'global', definition, indexes);
}

function define<T extends Tenancy>(
  collection: string,
  tenancy: T,
  definition: Record<string, SchemaDefinitionProperty>,
  indexes: readonly Index[],
  ownedBy?: string,
): ModelOf<never, T> {
  const schema = new mongoose.Schema<Record<string, unknown>>(
    {
      ...definition,
      _id: { type: String, required: true },
      revision: { type: Number, required: true },
      outbox: { type: [mongoose.Schema.Types.Mixed], default: [] },
    },
    { strict: 'throw', strictQuery: 'throw', minimize: false, versionKey: false, collection },
  );
  const model: ModelOf<never, T> = { collection, tenancy, ownedBy };
  rawModels.set(model, mongoose.model<Record<string, unknown>>(collection, schema));
  registerIndexes(collection, [...indexes, outboxIndex]);
  return model;
}

/** The mongoose model behind a handle: for this package only. */
export function rawModel(model: StoreModel): RawModel {
  const raw = rawModels.get(model);
  if (raw === undefined) throw new TypeError(`${model.collection} was not made by defineModel`);
  return raw;
}
