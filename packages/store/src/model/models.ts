import mongoose, { type SchemaDefinitionProperty } from 'mongoose';
import { database } from '../connection.ts';
import { type Index, registerIndexes } from './indexes.ts';
import type { OrgModel, StoreModel, Upgrade } from './stored-record.ts';

export type RawModel = mongoose.Model<Record<string, unknown>>;

const rawModels = new WeakMap<StoreModel, RawModel>();

/** Makes the mongoose model of a handle: its own fields and those that the store keeps in every record. */
export function createRawModel(model: StoreModel, definition: Record<string, SchemaDefinitionProperty>): void {
  const { collection, upgrades } = model;
  const schema = new mongoose.Schema<Record<string, unknown>>(
    {
      ...definition,
      _id: { type: String, required: true },
      revision: { type: Number, required: true },
      outbox: { type: [mongoose.Schema.Types.Mixed], default: [] },
      // Of a tombstone: see `removeChange`.
      deleted_org_id: { type: String },
      ...(upgrades && { [versionField]: { type: Number } }),
    },
    { strict: 'throw', strictQuery: 'throw', minimize: false, versionKey: false, collection },
  );
  if (upgrades !== undefined) upgradeReads(schema, upgrades);
  rawModels.set(model, mongoose.model<Record<string, unknown>>(collection, schema));
}

/** The mongoose model of a handle: for this package only. */
export function rawModel(model: StoreModel): RawModel {
  const raw = rawModels.get(model);
  if (raw === undefined) throw new TypeError(`${model.collection} was not made by defineModel`);
  return raw;
}

type Document = Record<string, unknown>;

/** The version of a document. One without it is of version 1. */
export const versionField = 'schema_version';

/** The version that a collection's code writes. */
export const versionOf = (upgrades: readonly Upgrade[]): number => upgrades.length + 1;

/** The fields that make a document of the present version; none if it is. A newer release's document stays as it is. */
export function upgradeOf(upgrades: readonly Upgrade[], document: Document): Document {
  const version = Number(document[versionField] ?? 1);
  let changes: Document = {};
  for (const { upgrade } of upgrades.slice(version - 1)) changes = { ...changes, ...upgrade({ ...document, ...changes }) };
  return version < versionOf(upgrades) ? { ...changes, [versionField]: versionOf(upgrades) } : {};
}

/** Makes every read of the schema's documents return the present version. */
function upgradeReads(schema: mongoose.Schema<Document>, upgrades: readonly Upgrade[]): void {
  const needed = [versionField, ...upgrades.flatMap(({ reads }) => reads)];
  schema.pre(['find', 'findOne'], function () {
    if (this.selectedInclusively()) this.select(needed);
  });
  schema.post(['find', 'findOne'], (found: Document | readonly Document[] | null) => {
    for (const document of [found ?? []].flat()) Object.assign(document, upgradeOf(upgrades, document));
  });
}

const ofOrganizations = new Set<StoreModel>();

/** Called for each model whose records have an `org_id`, so that neither an erasure nor an export can leave one out. */
export const registerOrganizationModel = (model: StoreModel): void => void ofOrganizations.add(model);

/** The models of all collections with organizations' records that this process has defined. */
export const organizationModels = (): readonly StoreModel[] => [...ofOrganizations];

/** True if an erasure of their organization deletes the model's records. */
export const isErasable = (model: StoreModel): boolean => ofOrganizations.has(model) && model.keptWhenErased !== true;

/** The models of the collections whose records are deleted with their project, and the field with its id. */
export const projectModels = (): readonly (readonly [model: OrgModel<unknown>, field: string])[] =>
  organizationModels().flatMap((model) => (model.ofProject ? [[model as OrgModel<unknown>, model.ofProject] as const] : []));

type Listener = (model: StoreModel) => void;

const withEvents = new Set<StoreModel>();
const listeners = new Set<Listener>();

/** Called by `defineModel`, so that no model that raises events can be left out. */
export function registerEventModel(model: StoreModel): void {
  withEvents.add(model);
  for (const listener of listeners) listener(model);
}

/**
 * Calls back for each model that raises events, now and when it is defined later. Returns a function that unsubscribes.
 */
export function onEventModel(listener: Listener): () => void {
  listeners.add(listener);
  for (const model of withEvents) listener(model);
  return () => listeners.delete(listener);
}

const withVersions: StoreModel[] = [];

export function registerUpgradedModel(model: StoreModel): void {
  withVersions.push(model);
}

/** The models defined so far whose documents have versions. */
export const upgradedModels = (): readonly StoreModel[] => withVersions;

/**
 * A collection of this package's own rows, which belong to no organization: claims and outcomes with a time to live.
 */
export function bookkeeping<Row extends mongoose.mongo.Document>(collection: string, indexes: readonly Index[]) {
  registerIndexes(collection, indexes);
  return { collection, rows: () => database().collection<Row>(collection) };
}
