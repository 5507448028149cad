import { csvDocument, csvHeaders, prefersCsv } from './csv.ts';
import { paginationHeaders } from './pagination-headers.ts';
import type { Exchange, ResponseWriter } from './response-writer.ts';
import type { Route } from './routes.ts';

interface FileReply {
  readonly file: { readonly content_type: string; readonly sha256: string };
  readonly content: Uint8Array;
}

interface ReplyContext {
  readonly route: Route;
  /** Relative to the API's base URL. */
  readonly path: string;
  readonly request: Record<string, unknown>;
  readonly reply: object;
  readonly replayed: boolean;
}

/** Turns a service's RPC reply into the HTTP response that the contract and the request's headers ask for. */
export class ReplyWriter {
  readonly #responses: ResponseWriter;
  readonly #baseUrl: string;

  constructor({ responses, baseUrl }: { responses: ResponseWriter; baseUrl: string }) {
    this.#responses = responses;
    this.#baseUrl = baseUrl;
  }

  send(exchange: Exchange, { route, path, request, reply, replayed }: ReplyContext) {
    const headers = replayed ? ['Idempotent-Replayed', 'true'] : [];
    if (route.serialize === 'file') return this.#file(exchange, reply as FileReply);
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

  /** Customers' files come from our origin: `attachment` and `sandbox` keep browsers from running them as our pages. */
  #file(exchange: Exchange, { file, content }: FileReply): void {
    const etag = `"${file.sha256}"`;
    const headers = ['Content-Type', file.content_type, ...downloadHeaders, 'ETag', etag];
    const unchanged = exchange.request.headers['if-none-match'] === etag;
    this.#responses.send(exchange, unchanged ? 304 : 200, unchanged ? undefined : content, headers);
  }
}

const downloadHeaders = ['Content-Disposition', 'attachment', 'Content-Security-Policy', 'sandbox'];

/** RFC 7240 §4.2 */
const prefersMinimal = (prefer: string | string[] | undefined) =>
  prefer !== undefined &&
  String(prefer)
    .split(',')
    .some((preference) => /^\s*return\s*=\s*"?minimal"?\s*$/i.test(preference));
