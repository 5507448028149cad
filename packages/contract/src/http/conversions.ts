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
 * Converts an RPC reply to the JSON of the contract: exactly the fields of the schema, in their order. An absent
 * nullable field is null; an absent optional field is left out.
 */
export type Serializer = (value: unknown) => unknown;

/** Compiles a serializer at start, so that a request costs one pass over its fields. */
export function createSerializer(schema: z.ZodType): Serializer {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = createSerializer(schema.unwrap() as z.ZodType);
    return (value) => (value === undefined || value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodArray) {
    const element = createSerializer(schema.element as z.ZodType);
    return (value) => (Array.isArray(value) ? value.map(element) : []);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape).map(([name, field]) => ({
      name,
      serialize: serializerOfNested(field as z.ZodType),
      isOptional: field instanceof z.ZodOptional,
    }));
    return (value) => {
      const from = value as Record<string, unknown>;
      const shown: Record<string, unknown> = {};
      for (const { name, serialize, isOptional } of fields) {
        const field = from[name];
        // The wire has no absent list.
        if (isOptional && (field === undefined || field === null || (Array.isArray(field) && field.length === 0))) continue;
        shown[name] = serialize === undefined ? (field ?? null) : serialize(field);
      }
      return shown;
    };
  }
  if (schema instanceof z.ZodRecord) return serializeNamedValues;
  return (value) => value ?? null;
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

/** Undefined for a plain value: most fields are plain, and skipping the call saves a thousand calls in a long list. */
function serializerOfNested(schema: z.ZodType): Serializer | undefined {
  const bare = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
  return bare instanceof z.ZodArray || bare instanceof z.ZodObject || bare instanceof z.ZodRecord ? createSerializer(schema) : undefined;
}
