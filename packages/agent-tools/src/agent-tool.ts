import {
  type AgentTool,
  type AgentToolName,
  AppError,
  accessError,
  agentTexts,
  agentToolNames,
  agentTools,
  type Operation,
  operations,
  validate,
} from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { idempotencyFor, type PreparedOperation, prepareOperation, requestFor } from '@webkiln/operations';
import { callForReply, JsonReply } from '@webkiln/rpc';
import * as z from 'zod';

type Values = Readonly<Record<string, unknown>>;

/** A tool with everything that can be computed at start. */
export interface PreparedTool extends AgentTool {
  readonly name: AgentToolName;
  readonly prepared: PreparedOperation;
  /** True if it changes nothing. */
  readonly isRead: boolean;
  /** Validates its arguments. */
  readonly schema: z.ZodObject;
  /** The JSON of the result. Throws the `AppError` of the refusal. */
  run(given: unknown, caller: Caller): Promise<string>;
}

function prepareTool(name: AgentToolName, tool: AgentTool): PreparedTool {
  const operation = operations[tool.operation];
  if (operation === undefined) throw new Error(`the tool ${name} names no operation`);
  const prepared = prepareOperation(tool.operation, operation);
  const schema = argumentsOf(operation);
  const isRead = operation.method === 'GET';
  return {
    ...{ ...tool, name, prepared, isRead, schema },
    async run(given, caller) {
      const refusal = accessError(caller.principal, prepared.access);
      if (refusal !== undefined) throw refusal;
      const values = validated(schema, given);
      if (prepared.isList) return successJson(await listPage(prepared, values, caller));
      if (isRead) return successJson(withinSize((await read(prepared, values, caller)).json, schema));
      const { idempotency_key: key, ...input } = values as { idempotency_key?: string };
      const isRepeatable = operation.method === 'POST' || key !== undefined;
      const idempotency = isRepeatable ? { idempotency: repeatable(name, key, input, caller) } : {};
      const { reply, replayed } = await callOperation(prepared, input, { ...caller, ...idempotency });
      const result = shown(prepared, reply);
      return successJson(withinSize(JSON.stringify(result), schema), tool.done && sentenceOf(tool.done, result, replayed));
    },
  };
}

/**
 * Throws `validation_failed`. No arguments are no fields, and null is an argument that is left out: engines that insist
 * on every argument write it so.
 */
function validated(schema: z.ZodObject, given: unknown = {}): Values {
  return validate(schema, isObject(given) ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) : given);
}

/** The same arguments in another order are the same call. */
function repeatable(name: string, key: string | undefined, input: Values, { principal }: Caller) {
  const body = JSON.stringify(Object.entries(input).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return idempotencyFor({
    key,
    keyName: 'idempotency_key',
    credentialId: principal.credential_id,
    path: `mcp/${name}`,
    body,
    values: input,
  });
}

async function callOperation(prepared: PreparedOperation, values: Values, caller: Caller) {
  const { operation, params, rpc } = prepared;
  const input: Record<string, unknown> = { ...values };
  const ids: Record<string, string> = {};
  for (const { name, field } of params) {
    ids[name] = values[field] as string;
    delete input[field];
  }
  // Queries are texts in the API.
  if (operation.method === 'GET') for (const name in input) input[name] = String(input[name]);
  const request = requestFor(prepared, input, ids);
  return callForReply(rpc, request, caller);
}

/** A reply as the API shows it. */
function shown({ name, serialize }: PreparedOperation, reply: object): Values {
  if (typeof serialize === 'string') throw new Error(`${name} returns no JSON`);
  return serialize(reply) as Values;
}

/** The JSON of a read, as its service encodes it, and of a list where the next page begins. */
async function read(
  prepared: PreparedOperation,
  values: Values,
  caller: Caller,
): Promise<{ json: string; next_cursor?: string | undefined }> {
  const { reply } = await callOperation(prepared, values, { ...caller, wantsJson: true });
  const { next_cursor } = reply as { next_cursor?: string };
  // A service of the release before answers as it always did.
  return { json: reply instanceof JsonReply ? reply.json.toString() : JSON.stringify(shown(prepared, reply)), next_cursor };
}

/** The JSON of a page with as many records as an agent can read. Fewer are asked for again, so that the cursor fits. */
async function listPage(prepared: PreparedOperation, values: Values, caller: Caller): Promise<string> {
  for (let limit = Number(values.limit ?? defaultPageSize); ; limit = Math.max(1, limit >> 1)) {
    const page = await read(prepared, { ...values, limit }, caller);
    const json = `${page.json.slice(0, -1)},"next_cursor":${JSON.stringify(page.next_cursor || null)}}`;
    if (!isTooLarge(json) || limit === 1) return json;
  }
}

const maxPageSize = 50;
const defaultPageSize = 20;
const maxKeyLength = 255;

/** Pages of a tool. The API's own are texts of a query, and larger. */
const page = {
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

const idempotencyKey = z
  .string({ error: 'must be a string' })
  .min(1, 'must not be empty')
  .max(maxKeyLength, `must have at most ${maxKeyLength} characters`)
  .optional()
  .describe('A text of your choice, such as a UUID. Repeat a call with the same key and arguments, and it takes effect once')
  .register(agentTexts, { asDescribed: true });

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Override = { readonly override?: { readonly type?: unknown } };

/** True for a number of a query, which the API takes as text. */
const isQueryNumber = (field: z.ZodType): boolean => ((field.meta() ?? {}) as Override).override?.type === 'integer';

/** A field of the API as a tool takes it. */
const toolField = (field: z.ZodType): z.ZodType => (isQueryNumber(field) ? z.int({ error: 'must be a whole number' }).optional() : field);

/** The arguments of the tool for an operation: ids of the path, the fields of its input, and for a write the key. */
function argumentsOf({ method, path, input, output }: Operation): z.ZodObject {
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
  const next = z
    .string()
    .nullable()
    .describe('Call again with this as cursor for the next page; null on the last one')
    .register(agentTexts, { asDescribed: true });
  return 'total' in output.shape ? z.object({ ...output.shape, next_cursor: next }) : output;
}

/**
 * JSON of ids and addresses has about two bytes a token. A result has its JSON twice, as structure and as text: so it
 * stays below 20,000 tokens.
 */
const maxJsonBytes = 20_000;

const isTooLarge = (json: string): boolean => Buffer.byteLength(json) > maxJsonBytes;

/** Throws `validation_failed` for a result that is too long for an agent. */
function withinSize(json: string, { shape }: z.ZodObject): string {
  if (!isTooLarge(json)) return json;
  throw new AppError('validation_failed', [{ path: 'days' in shape ? 'days' : '', message: 'the result would be too long: ask for less' }]);
}

export const textBlock = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`;

/** The JSON of a result with the structure `json`, which is repeated as text after `sentence`. */
function successJson(json: string, sentence?: string): string {
  const before = sentence === undefined ? '' : `${textBlock(sentence)},`;
  return `{"content":[${before}${textBlock(json)}],"structuredContent":${json}}`;
}

/** The summary of a write, by the sentence `done` of its tool: `{project.id}` in it is that field of the result. */
function sentenceOf(done: string, result: Values, replayed: boolean): string {
  const repeated = replayed ? 'An earlier call with this idempotency_key did this; nothing was done again. ' : '';
  const filled = done.replaceAll(/\{([\w.]+)\}/g, (_, path: string) =>
    String(path.split('.').reduce<unknown>((inner, name) => (inner as Values | undefined)?.[name], result)),
  );
  return `${repeated}${filled}`;
}

/** Every tool, by name. */
export const tools: ReadonlyMap<string, PreparedTool> = new Map(agentToolNames.map((name) => [name, prepareTool(name, agentTools[name])]));
