import { agentAccess } from '../agent-access/agent-access.ts';
import { tools } from '../tools/agent-tool.ts';
import type { Answer } from './answers.ts';
import type { CallContext } from './call-context.ts';
import { callTool } from './handlers.ts';
import { type Era, modernRevision, type PlainMessage } from './plain-message.ts';
import type { SdkWay } from './sdk-way.ts';

const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const constantMethods: Readonly<Record<Era, readonly string[]>> = { legacy: ['ping', ...lists], modern: ['server/discover', ...lists] };

/**
 * Answers plain messages without a server of the SDK. What is always the same is the SDK's own answer, which it gave
 * once at start; the results of tools are framed like those answers.
 */
export class ShortWay {
  /** JSON of results, by wire format and method. */
  readonly #constants: ReadonlyMap<string, string>;
  /** The text after the result of a tool, up to the closing brace. */
  readonly #afterToolResult: Readonly<Record<Era, string>>;

  private constructor(constants: ReadonlyMap<string, string>, modernMeta: unknown) {
    this.#constants = constants;
    this.#afterToolResult = { legacy: '}', modern: `,"resultType":"complete","_meta":${JSON.stringify(modernMeta)}}` };
  }

  static async of(sdkWay: SdkWay): Promise<ShortWay> {
    const constants = new Map<string, string>();
    let modernMeta: unknown;
    for (const era of ['legacy', 'modern'] as const) {
      for (const method of constantMethods[era]) {
        const result = await askSdk(sdkWay, era, method);
        constants.set(`${era} ${method}`, JSON.stringify(result));
        modernMeta = result._meta;
      }
    }
    return new ShortWay(constants, modernMeta);
  }

  /** Undefined if the SDK is to answer. */
  async answer({ era, id, method, tool }: PlainMessage, context: CallContext): Promise<Answer | undefined> {
    if (tool !== undefined) {
      if (!tools.has(tool.name)) return undefined;
      const result = await callTool(tool, context);
      return { status: 200, json: `${startOf(id)},"result":${result.slice(0, -1)}${this.#afterToolResult[era]}}` };
    }
    const constant = this.#constants.get(`${era} ${method}`);
    if (constant === undefined || (method === 'tools/list' && !(await mayUseAll(context)))) return undefined;
    const start = startOf(id);
    return { status: 200, json: `${start},"result":${constant}}`, sharedFrom: Buffer.byteLength(start) };
  }
}

const startOf = (id: string | number): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;

async function mayUseAll({ caller }: CallContext): Promise<boolean> {
  if (caller === undefined) return true;
  const { is_enabled, disabled_tools } = await agentAccess(caller);
  return is_enabled && disabled_tools.length === 0;
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': modernRevision,
  'io.modelcontextprotocol/clientInfo': { name: 'webkiln', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

async function askSdk(sdkWay: SdkWay, era: Era, method: string): Promise<Record<string, unknown>> {
  const isModern = era === 'modern';
  const body = { jsonrpc: '2.0', id: 0, method, ...(isModern && { params: { _meta: envelope } }) };
  const headers = isModern ? { protocolVersion: modernRevision, method } : {};
  const { json } = await sdkWay.answer(body, headers, { caller: undefined, lifetime: new AbortController() });
  const { result } = JSON.parse(json) as { result?: Record<string, unknown> };
  if (result === undefined) throw new Error(`the SDK does not answer ${method}: ${json}`);
  return result;
}
