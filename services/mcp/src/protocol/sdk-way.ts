import {
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCRequest,
  type McpHttpHandler,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { logger } from '@webkiln/runtime';
import { type Answer, errorAnswer, invalidRequest, type MessageHeaders } from './answers.ts';
import { authInfoOf, type CallContext } from './call-context.ts';
import type { Handlers } from './handlers.ts';
import { PreparedServer } from './prepared-server.ts';
import { ServerPool } from './server-pool.ts';

const accepted: Answer = { status: 202, json: '' };

/** Answers every message by the official SDK, without sessions: the revision 2026-07-28 and those before it. */
export class SdkWay {
  readonly #legacy: PreparedServer;
  readonly #modern: McpHttpHandler;

  private constructor(legacy: PreparedServer, modern: McpHttpHandler) {
    this.#legacy = legacy;
    this.#modern = modern;
  }

  static async of({ createServer }: Handlers): Promise<SdkWay> {
    const pool = new ServerPool(createServer);
    const onerror = (err: unknown) => logger.debug({ err }, 'MCP request refused');
    return new SdkWay(
      await PreparedServer.of(createServer()),
      createMcpHandler(() => pool.take(), { legacy: 'reject', onerror }),
    );
  }

  /** `body` is the parsed message. */
  async answer(body: unknown, headers: MessageHeaders, context: CallContext): Promise<Answer> {
    const { protocolVersion, method, name } = headers;
    const inbound = { httpMethod: 'POST', body, protocolVersionHeader: protocolVersion, mcpMethodHeader: method, mcpNameHeader: name };
    const route = classifyInboundRequest(inbound);
    if (route.kind === 'reject') return errorAnswer(route.httpStatus, route.code, route.message, body, route.data);
    if (route.kind === 'modern') {
      if (route.messageKind === 'request' && route.message.method === 'subscriptions/listen')
        return errorAnswer(404, ProtocolErrorCode.MethodNotFound, 'There is nothing to subscribe to: lists never change.', body);
      // No handler sends anything before its result, so the response is one JSON document.
      const response = await this.#modern.fetch(toWebRequest(headers, context), { parsedBody: body, authInfo: authInfoOf(context) });
      return { status: response.status, json: await response.text() };
    }
    if (route.reason === 'notification' || route.reason === 'response') return accepted;
    if (route.reason === 'batch') return errorAnswer(400, invalidRequest, 'Send one message in a request, not a batch.');
    if (protocolVersion !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
      const message = `MCP-Protocol-Version must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`;
      return errorAnswer(400, invalidRequest, message, body);
    }
    return { status: 200, json: await this.#legacy.ask(body as JSONRPCRequest, context) };
  }
}

/** For the SDK, which reads headers and the signal alone: the body is parsed already. */
function toWebRequest({ protocolVersion, method, name }: MessageHeaders, { lifetime }: CallContext): Request {
  const headers = new Headers({ 'content-type': 'application/json' });
  if (protocolVersion !== undefined) headers.set('mcp-protocol-version', protocolVersion);
  if (method !== undefined) headers.set('mcp-method', method);
  if (name !== undefined) headers.set('mcp-name', name);
  return new Request('http://mcp.internal/', { method: 'POST', headers, signal: lifetime.signal });
}
