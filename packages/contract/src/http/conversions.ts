import * as z from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';

/** Limits the details of an error, since a body may have a million wrong fields. */
const maxDetails = 10;
const maxNameLength = 60;

/** Validates `value` and fills in defaults. Throws `validation_failed` with one detail per thing to correct. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('validation_failed', result.error.issues.flatMap((issue) => detailsOf(issue, value)).slice(0, maxDetails));
}

function detailsOf(issue: z.core.$ZodIssue, value: unknown): ErrorDetail[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, maxDetails).map((key) => ({ path: shown(key), message: 'is not a field of this request' }));
  const path = issue.path.map((step) => shown(String(step))).join('.');
  if (path !== '' && at(value, issue.path) === undefined) return [{ path, message: 'is required' }];
  return [{ path, message: path === '' ? 'The body must be one JSON object' : issue.message }];
}

const at = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce(
    (inner, step) => (typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[step] : undefined),
    value,
  );

const shown = (name: string) =>
  (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name).toWellFormed().replaceAll('\0', '\\u0000');

/** A public record as its service holds it: the id is `_id`, and computed fields are not in it. */
export type StateOf<S extends z.ZodObject, Computed = object> = Omit<z.output<S>, 'id' | (keyof Computed & string)> & {
  readonly _id: string;
};

/** A record as it is shown: times are ISO 8601. */
type Shown<R> = { [K in keyof R]: Date extends R[K] ? Exclude<R[K], Date> | string : R[K] };

/**
 * Compiles the projection of a stored record onto the fields of its public schema, in their order. `_id` is shown as
 * `id`, dates as ISO 8601; `computed` fields are null until the caller sets them. The result is an object literal, as
 * if written by hand: a loop over the names takes more than ten times as long per record.
 */
export function createProjection<S extends z.ZodObject, Computed extends { readonly [K in keyof z.output<S>]?: true } = object>(
  schema: S,
  computed: Computed = {} as Computed,
): (held: StateOf<S, Computed>) => Shown<z.output<S>> {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const value = name in computed ? 'null' : expressionOf(`held[${JSON.stringify(name === 'id' ? '_id' : name)}]`, field as z.ZodType);
    return `${JSON.stringify(name)}: ${value}`;
  });
  return new Function('held', `return { ${fields.join(', ')} };`) as (held: StateOf<S, Computed>) => Shown<z.output<S>>;
}

function expressionOf(held: string, field: z.ZodType): string {
  if (field instanceof z.ZodDate) return `${held}.toISOString()`;
  return field instanceof z.ZodNullable && field.unwrap() instanceof z.ZodDate ? `${held}?.toISOString() ?? null` : held;
}

type WithDates<Shape> = {
  [K in keyof Shape]: Shape[K] extends z.ZodISODateTime
    ? z.ZodDate
    : Shape[K] extends z.ZodNullable<z.ZodISODateTime>
      ? z.ZodNullable<z.ZodDate>
      : Shape[K];
};

/** The schema of a public record as services hold it that store its times as dates, not as text. */
export function withDates<Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) {
  const dated = Object.entries(shape).map(([name, field]) => {
    if (field instanceof z.ZodISODateTime) return [name, z.date()];
    return [name, field instanceof z.ZodNullable && field.unwrap() instanceof z.ZodISODateTime ? z.date().nullable() : field];
  });
  return z.object(Object.fromEntries(dated)) as unknown as z.ZodObject<WithDates<Shape>>;
}

/** The fields that the body of an operation may name. */
export const inputFields = <Shape extends z.ZodRawShape>({ input }: { readonly input: z.ZodObject<Shape> }) =>
  Object.keys(input.shape) as (keyof Shape & string)[];

/**
 * Converts an RPC reply, before or after its way over the wire, to the JSON of the contract: exactly the fields of the
 * schema, in their order. An absent nullable field is null; an absent optional field is left out of its JSON; any other
 * has the value that the wire gives it.
 */
export type Serializer = (value: unknown) => unknown;

/**
 * Compiles a serializer at start, so that a request costs one pass over its fields. Records are object literals, as if
 * written by hand, which engines build and stringify several times as fast as objects that grow in a loop.
 */
export function createSerializer(schema: z.ZodType): Serializer {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = createSerializer(schema.unwrap() as z.ZodType);
    return (value) => (value === undefined || value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodArray) {
    if (isPlain(schema.element as z.ZodType)) return (value) => (Array.isArray(value) ? value : []);
    const element = createSerializer(schema.element as z.ZodType);
    return (value) => (Array.isArray(value) ? value.map((each) => element(each)) : []);
  }
  if (schema instanceof z.ZodRecord) return serializeNamedValues;
  return schema instanceof z.ZodObject ? recordSerializer(schema) : (value) => value ?? null;
}

function recordSerializer({ shape }: z.ZodObject): Serializer {
  const nested: Record<string, Serializer> = {};
  const fields = Object.entries(shape).map(([field, declared]) => {
    const name = JSON.stringify(field);
    const schema = declared as z.ZodType;
    let value = `from[${name}]`;
    if (isPlain(schema)) value = `${value} ?? ${schema instanceof z.ZodOptional ? 'undefined' : absentOnWire(schema)}`;
    else {
      nested[field] = createSerializer(schema);
      value = `nested[${name}](${value})`;
      // The wire has no absent list.
      if (schema instanceof z.ZodOptional) value = `isAbsent(from[${name}]) ? undefined : ${value}`;
    }
    return `${name}: ${value}`;
  });
  return new Function('nested', 'isAbsent', `return (from) => ({ ${fields.join(', ')} });`)(nested, isAbsent) as Serializer;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** What protobuf reads where a plain field is absent, as source text. */
function absentOnWire(schema: z.ZodType): string {
  if (schema instanceof z.ZodNullable) return 'null';
  if (schema instanceof z.ZodNumber) return '0';
  return schema instanceof z.ZodBoolean ? 'false' : "''";
}

/**
 * Converts a list of names and values to an object. A single value is not wrapped in a list; "__proto__" is a plain
 * name.
 */
const serializeNamedValues: Serializer = (value) =>
  Object.fromEntries(
    (value as readonly { name: string; values: readonly unknown[] }[]).map(({ name, values }) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );

/** True for a field that is shown as it is, neither a list nor an object. */
function isPlain(schema: z.ZodType): boolean {
  const bare = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  return !(bare instanceof z.ZodArray || bare instanceof z.ZodObject || bare instanceof z.ZodRecord);
}
