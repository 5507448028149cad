import type { ServerResponse } from 'node:http';
import { type File, maxOffset, type Serializer, wholeListCap } from '@webkiln/contract';
import { isKnown, sendParts } from '@webkiln/http';
import { type Caller, contentChunkBytes, onBehalf } from '@webkiln/messages';
import { call, JsonReply } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { RequestSlots } from '../admission/bounds.ts';
import { csvDocument, csvHeaders, prefersCsv } from './csv.ts';
import { type Exchange, onDisconnectCancelLast } from './exchange.ts';
import type { ResponseWriter } from './response-writer.ts';
import type { Route } from './routes.ts';
import type { TurnReply, TurnStreamResponses } from './turn-stream-response.ts';

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
  readonly #turns: TurnStreamResponses;
  readonly #baseUrl: string;

  constructor({
    baseUrl,
    turns,
    ...options
  }: { responses: ResponseWriter; timeoutMs: number; baseUrl: string; turns: TurnStreamResponses }) {
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
      if (route.operation.method === 'GET' && isKnown(exchange.request.headers, etag)) {
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
    this.#responses.json(exchange, success, bodyOf(route, reply), headers);
  }
}

/** The JSON of a reply. A list with a further page also says where that begins, which services send beside it. */
function bodyOf({ isList, serialize }: Route, reply: object): string | Buffer {
  const { next_cursor } = reply as ListReply;
  const hasNext = isList && next_cursor !== undefined && next_cursor !== '';
  if (!(reply instanceof JsonReply)) {
    const shown = (serialize as Serializer)(reply) as object;
    return JSON.stringify(hasNext ? { ...shown, next_cursor } : shown);
  }
  return hasNext ? Buffer.concat([reply.json.subarray(0, -1), Buffer.from(`,"next_cursor":${JSON.stringify(next_cursor)}}`)]) : reply.json;
}

/** RFC 7240 §4.2 */
const prefersMinimal = (prefer: string | string[] | undefined) =>
  prefer !== undefined &&
  String(prefer)
    .split(',')
    .some((preference) => /^\s*return\s*=\s*"?minimal"?\s*$/i.test(preference));

/** Largest `limit` that a request may name. */
const maxPageSize = 100;

/** `next_cursor` is empty on the last page, and absent where pages go by offset alone. */
interface ListReply {
  readonly total?: number;
  readonly next_cursor?: string;
}

/**
 * X-Total-Count, and a Link header (RFC 8288) with first, prev, next and last, as far as these pages exist and can be
 * reached. `request` holds limit, offset, cursor and the filters.
 */
export function paginationHeaders(url: string, request: Record<string, unknown>, { total = 0, next_cursor }: ListReply): string[] {
  const { limit, offset: sentOffset = 0, cursor, ...rest } = request as { limit?: number; offset?: number; cursor?: string };
  const isClamped = cursor === undefined && sentOffset > maxOffset;
  const offset = isClamped ? maxOffset : sentOffset;
  const shown = limit ?? wholeListCap;
  const page = Math.min(shown, maxPageSize);
  const filters = Object.entries(rest).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const links: string[] = [];
  const link = (rel: string, at: number, after?: string) => {
    if (at > maxOffset && after === undefined) return;
    const place: [string, string][] = after === undefined ? [] : [['cursor', after]];
    links.push(`<${url}?${new URLSearchParams([...filters, ['limit', String(page)], ['offset', String(at)], ...place])}>; rel="${rel}"`);
  };
  if (offset > 0) {
    link('first', 0);
    link('prev', Math.max(0, offset - page));
  }
  const hasNext = next_cursor === undefined ? offset + shown < total : next_cursor !== '';
  if (hasNext) {
    link('next', offset + shown, next_cursor);
    link('last', Math.floor((total - 1) / page) * page);
  }
  return ['X-Total-Count', String(total), ...(links.length === 0 ? [] : ['Link', links.join(', ')])];
}

/** Each credential reads one part at a time: many downloads together must not fill this process and the next. */
const partReads = { bound: 'file parts', slots: 16, maxPerKey: 1, maxWaitingPerKey: 256, maxWaiting: 4096, maxWaitMs: 60_000 };

/** The reply of an operation whose output is a file. */
export interface FileReply {
  readonly file: File;
  /** All of the content, or the beginning of one that is larger than a chunk. */
  readonly content: Uint8Array;
  /** The name that browsers save it under, in ASCII; without it, the end of the URL. */
  readonly filename?: string;
}

/** Sends files. Of a large one it holds one chunk, and asks for the next when the client has taken that. */
export class FileReplies {
  readonly #responses: ResponseWriter;
  readonly #timeoutMs: number;
  readonly #reads = new RequestSlots(partReads);

  constructor({ responses, timeoutMs }: { responses: ResponseWriter; timeoutMs: number }) {
    this.#responses = responses;
    this.#timeoutMs = timeoutMs;
  }

  /** Customers' files come from our origin: `attachment` and `sandbox` keep browsers from running them as our pages. */
  async send(exchange: Exchange, { file, content, filename }: FileReply, caller: Caller): Promise<void> {
    const { request, response, requestId } = exchange;
    const etag = `"${file.sha256}"`;
    const disposition = filename === undefined ? 'attachment' : `attachment; filename="${filename}"`;
    const headers = ['Content-Type', file.content_type, 'Content-Disposition', disposition, ...sandbox, 'ETag', etag];
    if (isKnown(request.headers, etag)) return this.#responses.send(exchange, 304, undefined, headers);
    if (content.byteLength === file.size) return this.#responses.send(exchange, 200, content, headers);
    if (response.destroyed) return;
    this.#responses.begin(exchange, 200, [...headers, 'Content-Length', String(file.size)]);
    if (request.method === 'HEAD') return void response.end();
    await sendParts(response, this.#parts(response, { file, content }, caller)).catch((error) =>
      logger.warn({ err: error, request_id: requestId }, 'file cut off; its client must ask again'),
    );
  }

  /** Each part has a deadline of its own: a slow client takes no time from the next. */
  async *#parts(response: ServerResponse, { file, content }: FileReply, caller: Caller): AsyncGenerator<Uint8Array, void, undefined> {
    const onCancel = onDisconnectCancelLast(response);
    const own = onBehalf('gateway', caller);
    yield content;
    for (let offset = content.byteLength; offset < file.size; ) {
      const length = Math.min(contentChunkBytes, file.size - offset);
      const part = await this.#reads.run(caller.principal.credential_id, async () => {
        if (response.destroyed) return undefined;
        const deadlineAt = Date.now() + this.#timeoutMs;
        return call('projects.ReadContent', { sha256: file.sha256, offset, length }, { ...own, deadlineAt, onCancel });
      });
      if (part === undefined) return;
      if (part.content.byteLength === 0 || part.content.byteLength > length) throw new Error(`${file.sha256} has no such part`);
      offset += part.content.byteLength;
      yield part.content;
    }
  }
}

const sandbox = ['Content-Security-Policy', 'sandbox'];
