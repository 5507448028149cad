import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import type { Exchange } from '../api/exchange.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import { retryAfter } from '../rate-limit/rate-limit-headers.ts';
import { sendMcpError } from './mcp-error.ts';
import type { McpMessage } from './mcp-message.ts';

/** Refuses messages of agents as JSON-RPC, and says where a client gets a token. */
export class McpRefusals {
  readonly #challenge: string;
  readonly #responses: ResponseWriter;

  constructor(origin: string, responses: ResponseWriter) {
    this.#challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp", scope="mcp"`;
    this.#responses = responses;
  }

  /** `id` is that of the message; null if it is not known. `headers` are names and values, one after the other. */
  send(exchange: Exchange, error: unknown, id: McpMessage['id'], headers: readonly string[] = []): void {
    const { response, requestId, rateLimitState } = exchange;
    const shown = error instanceof AppError ? error : new AppError('internal', [], { cause: error });
    if (shown.code === 'internal') logger.error({ err: error, request_id: requestId }, 'MCP request failed');
    exchange.code = shown.code;
    const all = [...headers, 'X-Request-Id', requestId];
    if (rateLimitState !== undefined) all.push(...this.#responses.rateLimitHeaders(rateLimitState));
    if (shown.code === 'rate_limited') all.push('Retry-After', String(retryAfter(shown.code, rateLimitState)));
    if (shown.status === 401) all.push('WWW-Authenticate', this.#challengeFor(shown));
    sendMcpError(response, shown, { id, requestId, headers: all });
  }

  /** RFC 9728 §5.1; RFC 6750 §3.1 for a credential that is not valid. */
  #challengeFor({ code }: AppError): string {
    return code === 'missing_credential' ? this.#challenge : `${this.#challenge}, error="invalid_token"`;
  }
}
