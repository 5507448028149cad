import type { Operation } from '@webkiln/contract';
import * as z from 'zod';

export const maxPageSize = 50;
export const defaultPageSize = 20;
const maxKeyLength = 255;

/** Pages of a tool. The API's own are texts of a query, and larger. */
const page = {
  limit: z
    .int({ error: 'must be a whole number' })
    .min(1, 'must be at least 1')
    .max(maxPageSize, `must be at most ${maxPageSize}`)
    .optional()
    .describe(`How many to return, ${defaultPageSize} by default`),
  cursor: z
    .string({ error: 'must be a string' })
    .min(1, 'must not be empty')
    .max(500)
    .optional()
    .describe('next_cursor of the page before'),
};

const idempotencyKey = z
  .string({ error: 'must be a string' })
  .min(1, 'must not be empty')
  .max(maxKeyLength, `must have at most ${maxKeyLength} characters`)
  .optional()
  .describe('A text of your choice, such as a UUID. Repeat a call with the same key and arguments, and it takes effect once');

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Override = { readonly override?: { readonly type?: unknown } };

/** True for a number of a query, which the API takes as text. */
const isQueryNumber = (field: z.ZodType): boolean => {
  const { override } = (field.meta() ?? {}) as Override;
  return Array.isArray(override?.type) && override.type.includes('integer');
};

/** A field of the API as a tool takes it. */
const toolField = (field: z.ZodType): z.ZodType =>
  isQueryNumber(field)
    ? z
        .int({ error: 'must be a whole number' })
        .optional()
        .describe(field.description ?? '')
    : field;

/** The arguments of the tool for an operation: ids of the path, the fields of its input, and for a write the key. */
export function argumentsOf({ method, path, input, output }: Operation): z.ZodObject {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [snake(name as string), z.uuid({ error: 'must be a UUID' })]);
  const { limit: _limit, offset: _offset, cursor: _cursor, ...fields } = input?.shape ?? {};
  const isList = typeof output !== 'string' && 'total' in output.shape;
  return z.strictObject({
    ...Object.fromEntries(ids),
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toolField(field as z.ZodType)])),
    ...(isList && page),
    ...(method !== 'GET' && { idempotency_key: idempotencyKey }),
  });
}

/** The result of the tool for an operation; of a list, also where the next page begins. */
export function resultOf({ output }: Operation): z.ZodObject {
  if (typeof output === 'string') throw new Error('a tool returns JSON');
  const next = z.string().nullable().describe('Call again with this as cursor for the next page; null on the last one');
  return 'total' in output.shape ? z.object({ ...output.shape, next_cursor: next }) : output;
}

type Schema = Readonly<Record<string, unknown>>;
type Io = 'input' | 'output';

/**
 * The JSON Schema of arguments or a result, without references and patterns: agents read it, and the service validates
 * by the zod schema. Results may get further fields, so a client must not refuse them.
 */
export function jsonSchemaOf(schema: z.ZodObject, io: Io): Schema & { readonly type: 'object' } {
  const { $defs = {}, $schema: _schema, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;
  return simplified(root, $defs as Schema, io) as Schema & { readonly type: 'object' };
}

function simplified({ $ref, override, ...own }: Schema, definitions: Schema, io: Io): Schema {
  const referred = typeof $ref === 'string' ? (definitions[$ref.replace('#/$defs/', '')] as Schema) : {};
  const { id: _id, pattern: _pattern, additionalProperties, ...rest } = { ...referred, ...own, ...(override as Schema | undefined) };
  const kept = io === 'input' && additionalProperties !== undefined ? { ...rest, additionalProperties } : rest;
  const inner = (value: unknown) => (isObject(value) ? simplified(value, definitions, io) : value);
  const entries = Object.entries(kept).filter(([, value]) => Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(
    entries.map(([keyword, value]) => {
      if (keyword === 'properties') return [keyword, mapped(value as Schema, inner)];
      return [keyword, Array.isArray(value) ? value.map(inner) : inner(value)];
    }),
  );
}

const isObject = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const mapped = (fields: Schema, map: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]));
