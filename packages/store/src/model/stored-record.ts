import type { EventType, ExportKind } from '@webkiln/messages';

/** The fields of every record. `revision` counts its changes, from 1. */
export interface RecordFields {
  _id: string;
  revision: number;
}

export interface OrgFields extends RecordFields {
  org_id: string;
}

/**
 * An event waiting in its record until the stream has it. `timestamp` is ISO 8601. `data` is JSON, because visitors
 * choose names in it, and "$ref" or "toObject" have a meaning to MongoDB and mongoose.
 */
export interface OutboxEntry {
  id: string;
  type: EventType;
  timestamp: string;
  data: string;
  traceparent?: string;
}

export type Tenancy = 'organization' | 'global';

/** The fields that the store itself keeps. */
export type KeptFields<T extends Tenancy> = T extends 'organization' ? OrgFields : RecordFields;
/** The fields that a collection's users give. */
export type GivenFields<Doc, T extends Tenancy> = Omit<Doc, keyof KeptFields<T>>;
/** A record as it is read. */
export type Stored<Doc, T extends Tenancy = 'organization'> = Doc & KeptFields<T>;
export type GlobalStored<Doc> = Stored<Doc, 'global'>;

/** Makes documents of one version those of the next. It runs at each read of an old document, and in `migrate`. */
export interface Upgrade<Given = Record<string, unknown>> {
  /** The fields that `upgrade` needs. */
  readonly reads: readonly (keyof Given & string)[];
  /** Returns the fields that the next version has in addition, or has changed. */
  upgrade(document: Partial<Given>): Partial<Given>;
}

declare const shape: unique symbol;

/** A handle without methods: `scoped`, `unscoped` and the changes are the only ways in. */
export interface ModelOf<Doc, T extends Tenancy, Raises extends boolean = boolean> {
  readonly collection: string;
  readonly tenancy: T;
  /** True if changes of its records may raise events; then the relay watches the collection. */
  readonly raisesEvents: Raises;
  /** The field that names a record's owner: see `Tenant`. */
  readonly ownedBy?: string | undefined;
  /** The field with the id of the project that a record is deleted with; null: it outlives its project. */
  readonly ofProject?: string | null | undefined;
  /** The part of an organization's export that has the records; null: they are left out. */
  readonly exportedAs?: ExportKind | null | undefined;
  /** True if an erasure of the organization keeps the records; their service then reduces them itself. */
  readonly keptWhenErased?: boolean;
  /** The field that searches look into: see `searchFilter`. */
  readonly searched?: string | undefined;
  /** The upgrades from each version of its documents to the next: see `defineModel`. */
  readonly upgrades?: readonly Upgrade[] | undefined;
  readonly [shape]?: Doc;
}

/** A collection of organizations' records: every call needs its tenant. */
export type OrgModel<Doc, Raises extends boolean = boolean> = ModelOf<Doc, 'organization', Raises>;
/** A collection that belongs to no organization. */
export type GlobalModel<Doc, Raises extends boolean = boolean> = ModelOf<Doc, 'global', Raises>;
export type StoreModel = ModelOf<unknown, Tenancy>;
