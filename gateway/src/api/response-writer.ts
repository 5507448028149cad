import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import type { Principal } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import helmet from 'helmet';
import type { Standing } from './rate-limit.ts';

/** One request on its way through the gateway. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedAt: number;
  /** Name of the operation (`createProject`), for logs and metrics. */
  operation: string;
  standing?: Standing;
  /** The operation's path, as the contract writes it. */
  route?: string;
  /** Who asked, where that is known. */
  principal?: Principal;
  /** Of the error that was answered. */
  code?: string;
}

const exposed =
  'RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, ETag, Link, X-Request-Id, X-Total-Count, Idempotent-Replayed';

type Directives = Readonly<Record<string, readonly string[]>>;

/** What helmet says of documents alone: on data it would only cost. */
const notForData = {
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

/** What helmet would set on each response, asked for once: the values never change. Without directives for data, which anybody may read. */
export function helmetHeaders(directives?: Directives, resourcePolicy: 'cross-origin' | 'same-origin' = 'cross-origin'): string[] {
  const headers: string[] = [];
  const collector = { setHeader: (name: string, value: string) => void headers.push(name, value), removeHeader: () => undefined };
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"], 'base-uri': ["'none'"], ...directives },
    },
    crossOriginResourcePolicy: { policy: resourcePolicy },
    ...(directives === undefined && notForData),
  });
  protect({} as IncomingMessage, collector as unknown as ServerResponse, () => undefined);
  return headers;
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

/** Writes the answers of the API: every header that does not change is made here, once. */
export class Answers {
  readonly #static: readonly string[];
  readonly #windowSeconds: number;

  constructor(options: { windowMs: number; deprecatedAt?: string | undefined; sunsetAt?: string | undefined }) {
    this.#windowSeconds = seconds(options.windowMs);
    this.#static = [
      ...helmetHeaders(),
      ...['Access-Control-Allow-Origin', '*', 'Cache-Control', 'no-store'],
      ...(options.deprecatedAt === undefined ? [] : ['Deprecation', `@${Math.floor(Date.parse(options.deprecatedAt) / 1000)}`]),
      ...(options.sunsetAt === undefined ? [] : ['Sunset', new Date(options.sunsetAt).toUTCString()]),
    ];
  }

  /** Sends JSON as it is given: `body` is serialised once, by the caller. */
  json(exchange: Exchange, status: number, body: string, headers: readonly string[] = []): void {
    this.send(exchange, status, body, ['Content-Type', 'application/json; charset=utf-8', ...headers]);
  }

  /** Sends anything; `fixed` takes the place of the API's own unchanging headers. */
  send(exchange: Exchange, status: number, body: string | Uint8Array | undefined, headers: readonly string[], fixed = this.#static): void {
    const { response } = exchange;
    if (response.headersSent || response.destroyed) return;
    const length =
      body === undefined ? [] : ['Content-Length', String(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)];
    this.begin(exchange, status, [...headers, ...length], fixed);
    response.end(body);
  }

  /** Sends what goes before a body, which is the caller's to write. */
  begin({ request, response, requestId, standing }: Exchange, status: number, headers: readonly string[], fixed = this.#static): void {
    const all = [...fixed, 'X-Request-Id', requestId, ...headers];
    if (request.headers.origin !== undefined) all.push('Access-Control-Expose-Headers', exposed);
    if (standing !== undefined) {
      const limit = String(standing.limit);
      const reset = String(seconds(standing.resetMs));
      const remaining = String(Math.max(0, standing.remaining));
      all.push('RateLimit-Policy', `"v1";q=${limit};w=${this.#windowSeconds}`, 'RateLimit', `"v1";r=${remaining};t=${reset}`);
      all.push('X-RateLimit-Limit', limit, 'X-RateLimit-Remaining', remaining, 'X-RateLimit-Reset', reset);
    }
    response.writeHead(status, all);
  }

  /** Sends the envelope of an error; whatever is no AppError is ours to read, not the caller's. */
  error(exchange: Exchange, error: unknown, headers: readonly string[] = []): void {
    const shown = error instanceof AppError ? error : new AppError('internal', [], { cause: error });
    exchange.code = shown.code;
    if (shown.code === 'internal')
      logger.error({ err: error, request_id: exchange.requestId, operation: exchange.operation }, 'request failed');
    const extra = [...headers];
    if (shown.replayed) extra.push('Idempotent-Replayed', 'true');
    if (shown.status === 429) extra.push('Retry-After', String(seconds(exchange.standing?.resetMs ?? 1000)));
    if (shown.status === 503) extra.push('Retry-After', '1');
    if (shown.status === 401) extra.push('WWW-Authenticate', 'Bearer realm="webkiln"');
    this.json(exchange, shown.status, problem(shown, exchange.requestId), extra);
  }
}

/** The body of every error: `error` always, the rest for programs. */
export function problem(error: AppError, requestId: string): string {
  return JSON.stringify({
    error: error.message,
    code: error.code,
    ...(error.details.length > 0 ? { details: error.details } : {}),
    request_id: requestId,
  });
}
