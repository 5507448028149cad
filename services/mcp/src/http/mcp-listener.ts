import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  createMcpHandler,
  type JSONRPCRequest,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { readBytes } from '@webkiln/http';
import type { Caller, Principal } from '@webkiln/messages';
import { principalHeader, type Verifier } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { authInfoOf, type CallContext } from '../protocol/call-context.ts';
import type { Handlers } from '../protocol/handlers.ts';
import { PreparedServer } from '../protocol/prepared-server.ts';
import { ServerPool } from '../protocol/server-pool.ts';
import { sendJson, sendResponse } from './responses.ts';

/** More than the gateway lets through. */
const maxBodyBytes = 2 * 1024 * 1024;

interface Parts {
  readonly verifier: Verifier;
  readonly handlers: Handlers;
  readonly timeoutMs: number;
}

/** Serves MCP over Streamable HTTP, without sessions: the revision 2026-07-28 and those before it, at every path. */
export function mcpListener({ verifier, handlers, timeoutMs }: Parts): RequestListener {
  const prepared = PreparedServer.of(handlers.createServer(), handlers.constantResults);
  const pool = new ServerPool(handlers.createServer);
  const modern = createMcpHandler(() => pool.take(), { legacy: 'reject', onerror: (err) => logger.debug({ err }, 'MCP request refused') });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (body === undefined)
      return sendError(response, 400, ProtocolErrorCode.ParseError, 'The body is not one JSON object of JSON-RPC 2.0.');
    const header = (name: string) => request.headers[name] as string | undefined;
    const version = header('mcp-protocol-version');
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      body,
      protocolVersionHeader: version,
      mcpMethodHeader: header('mcp-method'),
      mcpNameHeader: header('mcp-name'),
    });
    if (route.kind === 'reject') return sendError(response, route.httpStatus, route.code, route.message, body, route.data);
    const token = header(principalHeader);
    const caller = token === undefined ? undefined : callerOf(request, response, await verifier.verify(token), timeoutMs);
    const context: CallContext = { caller };
    if (route.kind === 'modern') {
      if (route.messageKind === 'request' && route.message.method === 'subscriptions/listen')
        return sendError(response, 404, ProtocolErrorCode.MethodNotFound, 'There is nothing to subscribe to: lists never change.', body);
      const options = { parsedBody: body, authInfo: authInfoOf(context) };
      return sendResponse(response, await modern.fetch(toWebRequest(request, response), options), context);
    }
    if (route.reason === 'notification' || route.reason === 'response') return void response.writeHead(202).end();
    if (route.reason === 'batch')
      return sendError(response, 400, ProtocolErrorCode.InvalidRequest, 'Send one message in a request, not a batch.');
    if (version !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
      return sendError(
        response,
        400,
        ProtocolErrorCode.InvalidRequest,
        `MCP-Protocol-Version must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
        body,
      );
    sendJson(response, 200, await (await prepared).ask(body as JSONRPCRequest, authInfoOf(context)), context);
  }

  return (request, response) => {
    serve(request, response).catch((err: unknown) => {
      logger.error({ err }, 'MCP request failed; responding with 500');
      sendError(response, 500, ProtocolErrorCode.InternalError, 'Something failed on our side; it is safe to repeat the request.');
    });
  };
}

const idOf = (body: unknown): string | number | null => {
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
};

function sendError(response: ServerResponse, status: number, code: number, message: string, body?: unknown, data?: unknown): void {
  const error = { code, message, ...(data !== undefined && { data }) };
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error }));
}

/** The parsed body; undefined if there is none. The gateway has checked size and type. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  const bytes = await readBytes(request, maxBodyBytes);
  try {
    return bytes && JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const callerOf = ({ headers }: IncomingMessage, response: ServerResponse, principal: Principal, timeoutMs: number): Caller => ({
  principal,
  requestId: String(headers['x-webkiln-request-id'] ?? ''),
  deadlineAt: Date.now() + timeoutMs,
  traceparent: headers.traceparent as string | undefined,
  onCancel: (cancel) => response.once('close', cancel),
});

/** For the SDK, which reads headers and the signal alone: the body is parsed already. */
function toWebRequest({ headers }: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const shown = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Request('http://mcp.internal/', { method: 'POST', headers: shown, signal: gone.signal });
}
