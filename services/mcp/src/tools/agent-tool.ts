import type { Tool } from '@modelcontextprotocol/server';
import { type AgentTool, type AgentToolName, AppError, agentTools, operations, refusalOf, validate } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { idempotencyFor, type PreparedOperation, prepareOperation, requestFor } from '@webkiln/operations';
import { callForReply } from '@webkiln/rpc';
import type * as z from 'zod';
import { isTooLarge, sentenceOf, successJson, tooLarge } from './tool-results.ts';
import { argumentsOf, defaultPageSize, jsonSchemaOf, resultOf } from './tool-schemas.ts';

type Values = Readonly<Record<string, unknown>>;

/** A tool with everything that can be computed at start. */
export interface PreparedTool {
  /** As tools/list shows it. */
  readonly definition: Tool;
  /** The JSON of the result. Throws the `AppError` of the refusal. */
  run(given: unknown, caller: Caller): Promise<string>;
}

function prepareTool(name: string, tool: AgentTool): PreparedTool {
  const operation = operations[tool.operation];
  if (operation === undefined) throw new Error(`the tool ${name} names no operation`);
  const prepared = prepareOperation(tool.operation, operation);
  const schema = argumentsOf(operation);
  const isRead = operation.method === 'GET';
  return {
    definition: {
      name,
      title: tool.title,
      description: tool.description,
      inputSchema: jsonSchemaOf(schema, 'input'),
      outputSchema: jsonSchemaOf(resultOf(operation), 'output'),
      annotations: {
        title: tool.title,
        readOnlyHint: isRead,
        destructiveHint: tool.isDestructive ?? false,
        idempotentHint: operation.method !== 'POST',
        openWorldHint: false,
      },
    },
    async run(given, caller) {
      const refusal = refusalOf(caller.principal, prepared.access);
      if (refusal !== undefined) throw new AppError(refusal);
      const values = validated(schema, given);
      if (prepared.isList) return successJson(await listPage(prepared, values, caller));
      const { idempotency_key: key, ...input } = values as { idempotency_key?: string };
      const isRepeatable = operation.method === 'POST' || key !== undefined;
      const idempotency = isRepeatable ? { idempotency: repeatable(name, key, input, caller) } : {};
      const { result, replayed } = await callOperation(prepared, input, { ...caller, ...idempotency });
      const json = JSON.stringify(result);
      if (isTooLarge(json)) throw tooLarge(Object.keys(schema.shape).filter((field) => field === 'days'));
      return successJson(json, tool.done && sentenceOf(tool.done, result, replayed));
    },
  };
}

/** Throws `validation_failed`; no arguments are no fields. */
function validated(schema: z.ZodObject, given: unknown): Values {
  return validate(schema, given ?? {});
}

/** The same arguments in another order are the same call. */
function repeatable(name: string, key: string | undefined, input: Values, { principal }: Caller) {
  const body = JSON.stringify(Object.entries(input).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return idempotencyFor({ key, keyName: 'idempotency_key', credentialId: principal.credential_id, path: `mcp/${name}`, body });
}

async function callOperation(prepared: PreparedOperation, values: Values, caller: Caller) {
  const { operation, params, rpc, serialize } = prepared;
  const input: Record<string, unknown> = { ...values };
  const ids: Record<string, string> = {};
  for (const { name, field } of params) {
    ids[name] = values[field] as string;
    delete input[field];
  }
  // Queries are texts in the API.
  if (operation.method === 'GET') for (const name in input) input[name] = String(input[name]);
  const request = requestFor(prepared, input, ids);
  const { reply, replayed } = await callForReply(rpc, request, caller);
  if (typeof serialize === 'string') throw new Error(`${prepared.name} returns no JSON`);
  return { reply, result: serialize(reply) as Values, replayed };
}

/** The JSON of a page with as many records as an agent can read. Fewer are asked for again, so that the cursor fits. */
async function listPage(prepared: PreparedOperation, values: Values, caller: Caller): Promise<string> {
  for (let limit = Number(values.limit ?? defaultPageSize); ; limit = Math.max(1, limit >> 1)) {
    const { reply, result } = await callOperation(prepared, { ...values, limit }, caller);
    const { next_cursor } = reply as { next_cursor?: string };
    const json = JSON.stringify({ ...result, next_cursor: next_cursor || null });
    if (!isTooLarge(json) || limit === 1) return json;
  }
}

/** Every tool, by name. */
export const tools: ReadonlyMap<string, PreparedTool> = new Map(
  Object.entries(agentTools).map(([name, tool]) => [name, prepareTool(name as AgentToolName, tool)]),
);
