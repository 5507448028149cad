import type { ExportKind } from '@webkiln/messages';
import type { SchemaDefinitionProperty } from 'mongoose';
import { partsFieldOf, searchIndexes } from '../read/search.ts';
import { type Index, keepingWaiting, registerIndexes } from './indexes.ts';
import { createRawModel, registerEventModel, registerOrganizationModel, registerUpgradedModel } from './models.ts';
import type { GivenFields, GlobalModel, OrgModel, StoreModel, Upgrade } from './stored-record.ts';

type Definition<Given> = { readonly [K in keyof Given]-?: SchemaDefinitionProperty };

/** The relay's index: only records with a waiting event are in it, oldest event first. */
const outboxIndex: Index = [
  { 'outbox.timestamp': 1 },
  { name: 'outbox_waiting', partialFilterExpression: { 'outbox.timestamp': { $exists: true } } },
];

/** Finds an organization's records when it is erased, where no other index does. */
const erasureIndex: Index = [{ org_id: 1 }];

/** The same for the records of a project. */
const projectIndex: Index = [{ org_id: 1, project_id: 1 }];

/** True if the index finds every record of an organization, or of a project in it. */
const finds =
  (...names: readonly string[]) =>
  ([fields, options = {}]: Index) =>
    names.every((name, at) => Object.keys(fields)[at] === name) && options.partialFilterExpression === undefined && options.sparse !== true;

interface Exported {
  /** The part of an organization's export that has the records; null: they are left out. */
  readonly exportedAs?: ExportKind | null;
}

interface GlobalOptions extends Exported {
  readonly indexes?: readonly Index[];
}

interface OrgOptions<Given> extends Exported {
  /** All start with org_id. */
  readonly indexes?: readonly Index[];
  /** For the service's own work over all organizations (expiry, due work), named so that each is a decision. */
  readonly indexesAcross?: readonly Index[];
  /** The field that names a record's owner: a client's user reaches no other records of the collection. */
  readonly ownedBy?: keyof Given & string;
  /** True if an erasure of the organization keeps the records; their service then reduces them itself. */
  readonly keptWhenErased?: boolean;
  /** A text that `searchFilter` finds by any part of it. Its records are listed by `created_at`. */
  readonly searched?: keyof Given & string;
  /** The first makes version 2 of documents of version 1, and so on: see docs/upgrades.md. */
  readonly upgrades?: readonly Upgrade<Given>[];
}

/**
 * The field with the id of the project that a record is deleted with; null: it outlives its project. Required of
 * records with a `project_id`, so that the deletion of a project can leave none behind.
 */
type OfProject<Doc> = Doc extends { project_id: unknown } ? { readonly ofProject: 'project_id' | null } : { readonly ofProject?: '_id' };

type Options<Doc> = OrgOptions<GivenFields<Doc, 'organization'>> & OfProject<Doc>;

/** Required to raise events. The relay looks at such collections, and at no others. */
interface Raising<Raises extends boolean = true> {
  readonly raisesEvents: Raises;
}

/** A collection of organizations' records; unknown fields are refused on write. */
export function defineModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'organization'>>,
  options: Options<Doc> & Raising,
): OrgModel<Doc, true>;
export function defineModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'organization'>>,
  ...options: Doc extends { project_id: unknown } ? [options: Options<Doc>] : [options?: Options<Doc>]
): OrgModel<Doc, false>;
export function defineModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'organization'>>,
  {
    indexes = [],
    indexesAcross = [],
    ownedBy,
    searched,
    upgrades,
    keptWhenErased,
    ofProject,
    exportedAs,
    raisesEvents = false,
  }: OrgOptions<GivenFields<Doc, 'organization'>> & { ofProject?: string | null } & Partial<Raising<boolean>> = {},
): OrgModel<Doc> {
  for (const [fields] of indexes) {
    if (Object.keys(fields)[0] !== 'org_id') throw new TypeError(`${collection}: an index that does not start with org_id`);
  }
  const parts = searched === undefined ? {} : { [partsFieldOf(searched)]: { type: [String], default: [] } };
  const fields = { ...definition, ...parts, org_id: { type: String, required: true } };
  const all = [...indexes, ...indexesAcross, ...(searched === undefined ? [] : searchIndexes(searched))];
  const versions = upgrades as readonly Upgrade[] | undefined;
  const belonging = { ownedBy, ofProject, exportedAs, keptWhenErased };
  return define({ collection, tenancy: 'organization' as const, raisesEvents, searched, upgrades: versions, ...belonging }, fields, all);
}

/** A collection across organizations; say at each use why it must be one. */
export function defineGlobalModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'global'>>,
  options: GlobalOptions & Raising,
): GlobalModel<Doc, true>;
export function defineGlobalModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'global'>>,
  options?: GlobalOptions,
): GlobalModel<Doc, false>;
export function defineGlobalModel<Doc extends object>(
  collection: string,
  definition: Definition<GivenFields<Doc, 'global'>>,
  { indexes = [], exportedAs, raisesEvents = false }: GlobalOptions & Partial<Raising<boolean>> = {},
): GlobalModel<Doc> {
  return define({ collection, tenancy: 'global' as const, raisesEvents, exportedAs }, definition, indexes);
}

function define<M extends StoreModel>(model: M, definition: Record<string, SchemaDefinitionProperty>, indexes: readonly Index[]): M {
  createRawModel(model, definition);
  if (model.upgrades !== undefined) registerUpgradedModel(model);
  if ('org_id' in definition) registerOrganizationModel(model);
  const deleting = model.ofProject === 'project_id' && !indexes.some(finds('org_id', 'project_id')) ? [projectIndex] : [];
  const erasing = 'org_id' in definition && ![...indexes, ...deleting].some(finds('org_id')) ? [erasureIndex] : [];
  const kept = model.raisesEvents ? indexes.map(keepingWaiting) : indexes;
  registerIndexes(model.collection, [...kept, ...deleting, ...erasing, outboxIndex]);
  if (model.raisesEvents) registerEventModel(model);
  return model;
}
