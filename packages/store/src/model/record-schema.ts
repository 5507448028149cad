import mongoose, { type SchemaDefinitionProperty } from 'mongoose';
import * as z from 'zod';

/**
 * The fields of a public record that its document holds under the same names; the store keeps `_id` and `org_id`
 * itself.
 */
type DocumentField<S extends z.ZodObject> = Exclude<keyof z.output<S> & string, 'id' | 'org_id'>;

/** Their names, for reads of a record's public fields. */
export const fieldsOf = <S extends z.ZodObject>(schema: S) =>
  Object.keys(schema.shape).filter((name) => name !== 'id' && name !== 'org_id') as DocumentField<S>[];

/**
 * The mongoose definition of a public record: a nullable field defaults to null, an optional one is absent until it is
 * set, all else is required. Supports texts,
 * numbers, booleans, dates, lists of those, and objects, which are stored as they are. Throws on any other type: define
 * such fields by hand.
 */
export const definitionOf = <S extends z.ZodObject>(schema: S) =>
  Object.fromEntries(fieldsOf(schema).map((name) => [name, propertyOf(name, schema.shape[name] as z.ZodType)])) as unknown as {
    readonly [K in DocumentField<S>]: SchemaDefinitionProperty;
  };

function propertyOf(name: string, field: z.ZodType): SchemaDefinitionProperty {
  if (field instanceof z.ZodNullable) return { type: scalarOf(name, field.unwrap() as z.ZodType), default: null };
  if (field instanceof z.ZodOptional) return { type: scalarOf(name, field.unwrap() as z.ZodType) };
  if (field instanceof z.ZodArray) return { type: [scalarOf(name, field.element as z.ZodType)], required: true };
  return { type: field instanceof z.ZodObject ? mongoose.Schema.Types.Mixed : scalarOf(name, field), required: true };
}

function scalarOf(name: string, field: z.ZodType) {
  if (field instanceof z.ZodPipe) return scalarOf(name, field.out as z.ZodType);
  if (field instanceof z.ZodDate) return Date;
  if (field instanceof z.ZodBoolean) return Boolean;
  if (field instanceof z.ZodNumber) return Number;
  if (field instanceof z.ZodString || field instanceof z.ZodStringFormat || field instanceof z.ZodEnum) return String;
  throw new TypeError(`${name}: a document's field cannot be derived from this schema`);
}
