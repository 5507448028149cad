import {
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  ProtocolErrorCode,
  type RequestId,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { type Answer, authInfoOf, type CallContext, errorAnswer, invalidRequest, type MessageHeaders } from './answers.ts';
import type { ServerFactory } from './handlers.ts';

const accepted: Answer = { status: 202, json: '' };

/** Answers every message by the official SDK, without sessions: the revision 2026-07-28 and those before it. */
export class SdkHandler {
  readonly #legacy: PreparedServer;
  readonly #modern: McpHttpHandler;

  private constructor(legacy: PreparedServer, modern: McpHttpHandler) {
    this.#legacy = legacy;
    this.#modern = modern;
  }

  static async of({ createServer }: ServerFactory): Promise<SdkHandler> {
    const pool = new ServerPool(createServer);
    const onerror = (err: unknown) => logger.debug({ err }, 'MCP request refused');
    return new SdkHandler(
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

interface Waiting {
  readonly id: RequestId;
  readonly resolve: (json: string) => void;
}

/**
 * Serves every request of the revisions until 2025-11-25 by one server, which is made once: to make one for each
 * request, as the SDK does for a server without sessions, takes most of a request's time. It is the transport of that
 * server. Requests get an id of their own in it, so that those of different clients never meet.
 */
class PreparedServer implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #waiting = new Map<RequestId, Waiting>();
  #lastId = 0;

  static async of(server: Server): Promise<PreparedServer> {
    const prepared = new PreparedServer();
    await server.connect(prepared);
    return prepared;
  }

  /** The JSON-RPC response, as JSON. Rejects with `unavailable` once nobody waits for it. */
  ask(request: JSONRPCRequest, context: CallContext): Promise<string> {
    const own = ++this.#lastId;
    const { signal } = context.lifetime;
    if (signal.aborted) return Promise.reject(new AppError('unavailable'));
    return new Promise((resolve, reject) => {
      this.#waiting.set(own, { id: request.id, resolve });
      signal.addEventListener('abort', () => this.#waiting.delete(own) && reject(new AppError('unavailable')), { once: true });
      this.onmessage?.({ ...request, id: own }, { authInfo: authInfoOf(context) });
    });
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  /** Called by the server. What is no response has no recipient: there are no streams. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('id' in message) || message.id === undefined || 'method' in message) return;
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id);
    waiting.resolve(JSON.stringify({ ...message, id: waiting.id }));
  }
}

/** Servers are kept up to this number: more requests at once are rare. */
const maxIdle = 256;

/**
 * Servers for the revision 2026-07-28, whose SDK connects one to each request. A server returns to the pool when its
 * request is closed.
 */
class ServerPool {
  readonly #create: () => Server;
  readonly #idle: Server[] = [];

  constructor(create: () => Server) {
    this.#create = create;
  }

  take(): Server {
    return this.#idle.pop() ?? this.#new();
  }

  #new(): Server {
    const server = this.#create();
    server.onclose = () => {
      if (this.#idle.length < maxIdle) this.#idle.push(server);
    };
    return server;
  }
}
