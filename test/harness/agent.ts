import { ApiResponse, type Json } from './api.ts';
import { sharedPlatform } from './shared-platform.ts';

type Headers = Readonly<Record<string, string>>;

const revision = '2025-11-25';
let lastId = 0;

/** An agent's program that speaks plain JSON-RPC over HTTP, so that tests can send what official clients never do. */
export class Agent {
  readonly url: string;
  readonly #headers: Headers;

  constructor(
    key: string | undefined,
    { origin = sharedPlatform().origins[0] ?? '', headers = {}, query = '' }: { origin?: string; headers?: Headers; query?: string } = {},
  ) {
    this.url = `${origin}/api/mcp${query}`;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...headers,
    };
  }

  async post(body: string | Buffer, headers: Headers = {}): Promise<ApiResponse> {
    const response = await fetch(this.url, { method: 'POST', body: body as string, headers: { ...this.#headers, ...headers } });
    return new ApiResponse(response.status, response.headers, await response.text());
  }

  /** Sends a JSON-RPC request. */
  ask(method: string, params: object = {}, headers: Headers = {}): Promise<ApiResponse> {
    return this.post(JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method, params }), headers);
  }

  /** Calls a tool; throws unless the response is a result, which may be an error of the tool. */
  async call(name: string, args: object = {}): Promise<ToolResult> {
    const { body } = (await this.ask('tools/call', { name, arguments: args })).expect(200);
    if (body.result === undefined) throw new Error(`no result: ${JSON.stringify(body)}`);
    return body.result;
  }

  /** The structured content of a tool's success. */
  async use(name: string, args: object = {}): Promise<Json> {
    const { isError, structuredContent, content } = await this.call(name, args);
    if (isError) throw new Error(`${name}: ${content[0]?.text}`);
    return structuredContent;
  }

  /** The text of a tool's error. */
  async refusal(name: string, args: object = {}): Promise<string> {
    const { isError, content } = await this.call(name, args);
    if (!isError) throw new Error(`${name} succeeded: ${content[0]?.text}`);
    return content[0]?.text ?? '';
  }
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: Json;
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
}
