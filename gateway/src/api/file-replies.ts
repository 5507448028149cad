import type { ServerResponse } from 'node:http';
import type { File } from '@webkiln/contract';
import { sendParts } from '@webkiln/http';
import { type Caller, contentChunkBytes, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { RequestSlots } from '../admission/bounds.ts';
import type { Exchange } from './exchange.ts';
import { onDisconnectCancelLast } from './exchange.ts';
import type { ResponseWriter } from './response-writer.ts';

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
    if (request.headers['if-none-match'] === etag) return this.#responses.send(exchange, 304, undefined, headers);
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
