import type { Caller } from '@webkiln/messages';
import type { TurnReplies, TurnReply } from '../chat/turn-replies.ts';
import { csvDocument, csvHeaders, prefersCsv } from './csv.ts';
import type { Exchange } from './exchange.ts';
import { FileReplies, type FileReply } from './file-replies.ts';
import { paginationHeaders } from './pagination-headers.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { Route } from './routes.ts';

interface ReplyContext {
  readonly route: Route;
  /** Relative to the API's base URL. */
  readonly path: string;
  readonly request: Record<string, unknown>;
  readonly caller: Caller;
  readonly reply: object;
  readonly replayed: boolean;
}

/** Turns a service's RPC reply into the HTTP response that the contract and the request's headers ask for. */
export class ReplyWriter {
  readonly #responses: ResponseWriter;
  readonly #files: FileReplies;
  readonly #turns: TurnReplies;
  readonly #baseUrl: string;

  constructor({ baseUrl, turns, ...options }: { responses: ResponseWriter; timeoutMs: number; baseUrl: string; turns: TurnReplies }) {
    this.#turns = turns;
    this.#responses = options.responses;
    this.#files = new FileReplies(options);
    this.#baseUrl = baseUrl;
  }

  send(exchange: Exchange, { route, path, request, caller, reply, replayed }: ReplyContext): void | Promise<void> {
    const headers = replayed ? ['Idempotent-Replayed', 'true'] : [];
    if (route.serialize === 'stream') return this.#turns.send(exchange, reply as TurnReply, { caller, replayed });
    if (route.serialize === 'file') return this.#files.send(exchange, reply as FileReply, caller);
    const { etag } = reply as { etag?: string };
    if (etag !== undefined && etag !== '') {
      headers.push('ETag', etag);
      if (route.operation.method === 'GET' && exchange.request.headers['if-none-match'] === etag) {
        return this.#responses.send(exchange, 304, undefined, headers);
      }
    }
    if (route.isList) headers.push(...paginationHeaders(`${this.#baseUrl}${path}`, request, reply));
    if (route.operation.method === 'DELETE' && prefersMinimal(exchange.request.headers.prefer)) {
      return this.#responses.send(exchange, 204, undefined, ['Preference-Applied', 'return=minimal']);
    }
    const { csv, success } = route.operation;
    if (csv !== undefined) {
      headers.push('Vary', 'Accept');
      if (prefersCsv(exchange.request.headers.accept)) {
        return this.#responses.send(exchange, success, csvDocument(csv, reply), [...csvHeaders(csv), ...headers]);
      }
    }
    this.#responses.json(exchange, success, JSON.stringify(route.serialize(reply)), headers);
  }
}

/** RFC 7240 §4.2 */
const prefersMinimal = (prefer: string | string[] | undefined) =>
  prefer !== undefined &&
  String(prefer)
    .split(',')
    .some((preference) => /^\s*return\s*=\s*"?minimal"?\s*$/i.test(preference));
