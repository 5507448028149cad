import { type AgentTool, agentTexts, type Operation, validate } from '@webkiln/contract';
import * as z from 'zod';

export type Values = Readonly<Record<string, unknown>>;

const maxPageSize = 50;
export const defaultPageSize = 20;
const maxKeyLength = 255;

/** Pages of a tool. The API's own are texts of a query, and larger. */
export const page = {
  limit: z
    .int({ error: 'must be a whole number' })
    .min(1, 'must be at least 1')
    .max(maxPageSize, `must be at most ${maxPageSize}`)
    .optional()
    .describe(`How many to return, ${defaultPageSize} by default`)
    .register(agentTexts, { asDescribed: true }),
  cursor: z
    .string({ error: 'must be a string' })
    .min(1, 'must not be empty')
    .max(500)
    .optional()
    .describe('next_cursor of the page before')
    .register(agentTexts, { asDescribed: true }),
};

export const idempotencyKey = z
  .string({ error: 'must be a string' })
  .min(1, 'must not be empty')
  .max(maxKeyLength, `must have at most ${maxKeyLength} characters`)
  .optional()
  .describe('A text of your choice, such as a UUID. Repeat a call with the same key and arguments, and it takes effect once')
  .register(agentTexts, { asDescribed: true });

export const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Override = { readonly override?: { readonly type?: unknown } };

/** True for a number of a query, which the API takes as text. */
const isQueryNumber = (field: z.ZodType): boolean => ((field.meta() ?? {}) as Override).override?.type === 'integer';

/** A field of the API as a tool takes it. */
const toolField = (field: z.ZodType): z.ZodType => (isQueryNumber(field) ? z.int({ error: 'must be a whole number' }).optional() : field);

/** The arguments of the tool for an operation: ids of the path, the fields of its input, and for a write the key. */
export function argumentsOf({ method, path, input, output }: Operation, { omits = [], renames = {} }: AgentTool): z.ZodObject {
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [snake(name as string), z.uuid({ error: 'must be a UUID' })]);
  const { limit: _limit, offset: _offset, cursor: _cursor, ...fields } = input?.shape ?? {};
  const isList = typeof output !== 'string' && 'total' in output.shape;
  const names = new Map(Object.entries(renames).map(([own, name]) => [name, own]));
  const taken = Object.entries(fields).filter(([name]) => !omits.includes(name));
  return z.strictObject({
    ...Object.fromEntries(ids),
    ...Object.fromEntries(taken.map(([name, field]) => [names.get(name) ?? name, toolField(field as z.ZodType)])),
    ...(isList && page),
    ...(method !== 'GET' && { idempotency_key: idempotencyKey }),
  });
}

/**
 * Throws `validation_failed`. No arguments are no fields, and null is an argument that is left out: engines that insist
 * on every argument write it so.
 */
export function validated(schema: z.ZodObject, given: unknown = {}): Values {
  return validate(schema, isObject(given) ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) : given);
}
