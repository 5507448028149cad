import mongoose, { type SchemaDefinitionProperty } from 'mongoose';
import type { StoreModel } from './stored-record.ts';
import { upgradeReads, versionField } from './upgrades.ts';

type RawModel = mongoose.Model<Record<string, unknown>>;

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
