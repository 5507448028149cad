import type { SchemaType } from 'mongoose';
import { type RawModel, rawModel } from './models.ts';
import type { StoreModel } from './stored-record.ts';

type Fields = Record<string, unknown>;

/** A schema's path, and the value to store for a given one; `unusual` where mongoose must look. */
type Path = readonly [name: string, storedFor: (given: unknown) => unknown];

const unusual = Symbol('mongoose looks at it');

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  Number: (value) => typeof value === 'number' && !Number.isNaN(value),
  Boolean: (value) => typeof value === 'boolean',
  Date: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  Mixed: () => true,
};

const pathsOf = new WeakMap<StoreModel, readonly Path[]>();

/**
 * The record with the model's defaults and casts. Throws if it violates the schema. A record that needs no cast does
 * not pass through mongoose, whose documents cost ten times as much.
 */
export async function checkedRecord(model: StoreModel, record: Fields): Promise<Fields> {
  return plain(model, record) ?? checkedByMongoose(rawModel(model), record);
}

async function checkedByMongoose(raw: RawModel, record: Fields): Promise<Fields> {
  const document = new raw(record);
  await document.validate();
  return document.toObject();
}

/** Undefined where mongoose must look: for a cast, an error, or a kind of schema that nothing here has yet. */
function plain(model: StoreModel, record: Fields): Fields | undefined {
  let paths = pathsOf.get(model);
  if (paths === undefined) {
    paths = compiledPaths(rawModel(model));
    pathsOf.set(model, paths);
  }
  const result: Fields = {};
  let given = 0;
  for (const [name, storedFor] of paths) {
    if (Object.hasOwn(record, name)) given++;
    const value = storedFor(record[name]);
    if (value === unusual) return undefined;
    if (value !== undefined) result[name] = value;
  }
  // One that no path has taken is unknown to the schema.
  return given === Object.keys(record).length ? result : undefined;
}

function compiledPaths(raw: RawModel): Path[] {
  const defaults: Fields = new raw().toObject();
  return Object.entries<SchemaType>(raw.schema.paths).map(([name, type]) => [name, valueFor(type, defaults[name])]);
}

function valueFor(type: SchemaType, byDefault: unknown): Path[1] {
  const isRequired = type.isRequired === true;
  const element = type.instance === 'Array' ? type.getEmbeddedSchemaType()?.instance : undefined;
  const isOf = isOfType[element ?? type.instance];
  const hasOwnRules = type.validators.some((validator) => validator.type !== 'required') || type.path.includes('.');
  if (isOf === undefined || hasOwnRules) return () => unusual;
  if (element !== undefined) {
    const missing = Array.isArray(byDefault) && byDefault.length === 0 ? () => [] : () => unusual;
    return (value) => (value === undefined ? missing() : Array.isArray(value) && value.every(isOf) ? value : unusual);
  }
  const isComputed = typeof (type as { readonly defaultValue?: unknown }).defaultValue === 'function';
  const isShared = typeof byDefault === 'object' && byDefault !== null;
  const missing = isComputed || isShared || (isRequired && byDefault === undefined) ? unusual : byDefault;
  const absent = isRequired ? unusual : null;
  return (value) => {
    if (value === undefined) return missing;
    if (value === null) return absent;
    // Mongoose takes an empty text for none.
    return isOf(value) && !(isRequired && value === '') ? value : unusual;
  };
}
