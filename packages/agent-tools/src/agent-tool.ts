import { type AgentTool, AppError, accessError, agentTools, hasCursor, moreTools, operations, type ToolSet } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { type PreparedOperation, prepareOperation } from '@webkiln/operations';
import type * as z from 'zod';
import { ownTools } from './own-tools.ts';
import { callOperation, listPage, read, repeatable, shown, slicePage } from './run-operation.ts';
import { argumentsOf, isObject, type Values, validated } from './tool-arguments.ts';
import { dataOfStrangers, resultOf, sentenceOf, shortened, successJson, withinSize, withoutHidden } from './tool-result.ts';

/** A tool of the contract, of the ten or of a set. */
interface ToolRow extends AgentTool {
  readonly set?: ToolSet;
}

/** A tool with everything that can be computed at start. */
export interface PreparedTool extends ToolRow {
  readonly name: string;
  readonly prepared: PreparedOperation;
  /** True if it changes nothing. */
  readonly isRead: boolean;
  /** Validates its arguments. */
  readonly schema: z.ZodObject;
  readonly result: z.ZodObject;
  /** The JSON of the result. Throws the `AppError` of the refusal. */
  run(given: unknown, caller: Caller): Promise<string>;
}

function prepareTool(name: string, tool: ToolRow): PreparedTool {
  const prepared = preparedOf(name, tool);
  const { operation } = prepared;
  const own = ownTools[name];
  const schema = own?.schema ?? argumentsOf(operation, tool);
  const result = own?.result ?? resultOf(operation, tool);
  const isRead = operation.method === 'GET';
  // The ten say it in their descriptions: their results stay as the contract has them.
  const before = tool.set && tool.tellsOfStrangers && dataOfStrangers;

  async function readJson(values: Values, caller: Caller): Promise<string> {
    if (own?.run !== undefined) return (await own.run(values, caller)).json;
    if (!prepared.isList) return withinSize((await read(prepared, values, caller)).json, schema);
    if (hasCursor(operation)) return listPage(prepared, values, caller);
    const { limit: _limit, cursor: _cursor, ...asked } = values;
    const fields = JSON.parse((await read(prepared, asked, caller)).json) as Values;
    return slicePage(Object.keys(fields).find((field) => Array.isArray(fields[field])) ?? '', fields, values);
  }
  return {
    ...{ ...tool, name, prepared, isRead, schema, result },
    async run(given, caller) {
      const refusal = accessError(caller.principal, prepared.access);
      if (refusal !== undefined) throw refusal;
      const values = validated(schema, given);
      if (isRead) return successJson(await readJson(values, caller), before);
      const { idempotency_key: key, ...input } = values as { idempotency_key?: string };
      const isRepeatable = operation.method === 'POST' || key !== undefined;
      const idempotency = isRepeatable ? { idempotency: repeatable(name, key, input, caller) } : {};
      const writing = { ...caller, ...idempotency };
      if (own?.run !== undefined) {
        const { json, replayed = false } = await own.run(input, writing);
        return successJson(json, tool.done && sentenceOf(tool.done, JSON.parse(json), replayed));
      }
      const { reply, replayed } = await callOperation(prepared, fieldsOf(tool, input), writing);
      const answered = withoutHidden(shown(prepared, reply), tool);
      return successJson(withinSize(JSON.stringify(answered), schema), tool.done && sentenceOf(tool.done, answered, replayed));
    },
  };
}

/** The tool, of which this process does itself what the operation does: `serve` returns the JSON of the result. */
export const servedBy = (tool: PreparedTool, serve: (values: Values, caller: Caller) => Promise<string>): PreparedTool => ({
  ...tool,
  async run(given, caller) {
    const refusal = accessError(caller.principal, tool.prepared.access);
    if (refusal !== undefined) throw refusal;
    return successJson(shortened(await serve(validated(tool.schema, given), caller)));
  },
});

function preparedOf(name: string, tool: ToolRow): PreparedOperation {
  const operation = operations[tool.operation];
  if (operation === undefined) throw new Error(`the tool ${name} names no operation`);
  return prepareOperation(tool.operation, operation);
}

/** The fields of the operation's input, where the tool has names of its own for some. */
function fieldsOf({ renames = {} }: ToolRow, input: Values): Values {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [renames[name] ?? name, value]));
}

const prepareAll = (rows: Readonly<Record<string, ToolRow>>): [string, PreparedTool][] =>
  Object.entries(rows).map(([name, row]) => [name, prepareTool(name, row)]);

/** The ten tools that every connection has, by name. */
export const tools: ReadonlyMap<string, PreparedTool> = new Map(prepareAll(agentTools));

/** Every tool there is, by name. */
export const allPrepared: ReadonlyMap<string, PreparedTool> = new Map([...tools, ...prepareAll(moreTools)]);

/**
 * The arguments of a call on a connection for one project: its id is added. Throws `validation_failed` for the id of
 * another one.
 */
export function boundTo(projectId: string, given: unknown): unknown {
  if (given !== undefined && !isObject(given)) return given;
  const { project_id = projectId } = given ?? {};
  if (project_id === null || project_id === projectId) return { ...given, project_id: projectId };
  throw new AppError('validation_failed', [
    { path: 'project_id', message: 'names another project than this connection is for: leave it out' },
  ]);
}
