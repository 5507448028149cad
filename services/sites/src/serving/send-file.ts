import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedEncoding, isKnown, sendParts, visitorAddress } from '@webkiln/http';
import { contentChunkBytes } from '@webkiln/messages';
import { counter, logger } from '@webkiln/runtime';
import type { Contents, Part } from '../contents/contents.ts';
import { type OwnHeaders, type Representation, withOwnHeaders } from '../resolutions/representation.ts';
import type { PublishedFile } from '../resolutions/site.ts';
import type { Visit } from './domain.ts';
import { sendPage, unavailable } from './plain-page.ts';

/** Selects the representation of a file by the request's Accept-Encoding. */
function negotiate({ headers }: IncomingMessage, file: PublishedFile, own: OwnHeaders | undefined): Representation {
  const negotiated = file.representation(acceptedEncoding(headers['accept-encoding'] as string | undefined, file.encodings));
  return own === undefined ? negotiated : withOwnHeaders(negotiated, own);
}

/** Sends 304 and returns true if the caller has the bytes already; the content is not loaded then. */
function sendIfNotModified(request: IncomingMessage, response: ServerResponse, { etag, headers }: Representation): boolean {
  if (!isKnown(request.headers, etag)) return false;
  response.writeHead(304, [...headers]).end();
  return true;
}

/** Sends the bytes, or the range of them that the request asks for. */
function sendFile(file: FileResponse, largeFiles: LargeFiles): void {
  const { request, response, representation, part } = file;
  const { etag, headers, contentHeaders } = representation;
  const { content, size } = part;
  const range = request.method === 'GET' ? requestedRange(request.headers, etag, size) : undefined;
  if (range === 'unsatisfiable') return void sendBytes(response, 416, [...headers, 'Content-Range', `bytes */${size}`], noContent);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const rangeHeaders = range === undefined ? [] : ['Content-Range', `bytes ${start}-${end}/${size}`];
  const status = range === undefined ? 200 : 206;
  const all = [...headers, ...contentHeaders, ...rangeHeaders];
  if (content.byteLength < size) largeFiles.send(file, status, all, { start, end });
  else sendBytes(response, status, all, range === undefined ? content : content.subarray(start, end + 1));
}

const noContent = Buffer.alloc(0);

/** Sends the site's own 404 page, complete: conditional and range headers do not apply to an error. */
function sendNotFound(file: FileResponse, largeFiles: LargeFiles): void {
  const { response, representation, part } = file;
  const headers = [...representation.headers, ...representation.contentHeaders];
  if (part.content.byteLength < part.size) largeFiles.send(file, 404, headers, { start: 0, end: part.size - 1 });
  else sendBytes(response, 404, headers, part.content);
}

/** Must be revalidated on every request, because the next deploy may have a file at this path. */
export function sendRedirect(response: ServerResponse, status: number, location: string): void {
  response.writeHead(status, ['Location', location, 'Cache-Control', 'no-cache', 'Content-Length', '0']).end();
}

function sendBytes(response: ServerResponse, status: number, headers: string[], content: Buffer): void {
  headers.push('Content-Length', String(content.byteLength));
  response.writeHead(status, headers);
  response.end(content);
}

/** Answers visits with files: at once if the content is in memory, else once it is loaded. */
export class FileResponses {
  readonly #contents: Contents;
  readonly #largeFiles: LargeFiles;
  readonly #onFailure: (visit: Visit, error: unknown) => void;

  /** `onFailure` answers a visit whose content could not be loaded. */
  constructor(contents: Contents, largeFiles: LargeFiles, onFailure: (visit: Visit, error: unknown) => void) {
    this.#contents = contents;
    this.#largeFiles = largeFiles;
    this.#onFailure = onFailure;
  }

  /** `own` are headers that the site's own rules set. */
  send(visit: Visit, file: PublishedFile, status: 200 | 404, own?: OwnHeaders): void {
    if (this.#sendFramed(visit, file, status)) return;
    const { request, response } = visit;
    const representation = negotiate(request, file, own);
    if (status === 200 && sendIfNotModified(request, response, representation)) return;
    const send = status === 200 ? sendFile : sendNotFound;
    this.#load(visit, representation, (part) => send({ request, response, representation, part }, this.#largeFiles));
  }

  /** Returns false, and sends nothing, unless the file is a page in a frame. One over a chunk is sent as it is. */
  #sendFramed(visit: Visit, file: PublishedFile, status: 200 | 404): boolean {
    const { request, response, domain } = visit;
    const { framed } = domain;
    const representation = file.representation('');
    if (!framed?.applies(request, file) || representation.maxBytes > contentChunkBytes) return false;
    this.#load(visit, representation, (part) => framed.send(request, response, file, part, status));
    return true;
  }

  #load(visit: Visit, representation: Representation, sendPart: (part: Part) => void): void {
    const cached = this.#contents.cached(representation);
    if (cached !== undefined) sendPart(cached);
    else
      this.#contents
        .load(representation)
        .then(sendPart)
        .catch((error) => this.#onFailure(visit, error));
  }
}

interface RangeHeaders {
  readonly 'if-range'?: string | undefined;
  readonly range?: string | undefined;
}

/** First and last byte, both included. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const singleRange = /^bytes=(\d*)-(\d*)$/i;

/**
 * The requested part of a representation of `size` bytes: undefined for all of it, 'unsatisfiable' if the range lies
 * outside. Anything but a single byte range is ignored, as RFC 9110 §14.2 allows. So is a range whose If-Range names
 * another ETag (§13.1.5, strong comparison).
 */
function requestedRange({ range, 'if-range': ifRange }: RangeHeaders, etag: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [, first = '', last = ''] = singleRange.exec(range) ?? [];
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), size);
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start < size ? { start, end } : 'unsatisfiable';
}

const lastBytes = (count: number, size: number) =>
  count > 0 && size > 0 ? { start: Math.max(0, size - count), end: size - 1 } : ('unsatisfiable' as const);

/** What one reader holds at most: the part that it takes, and the next one while that is loaded. */
const readerBytes = 2 * contentChunkBytes;

const refused = counter({ name: 'site_large_files_refused_total', help: 'Large files refused because too much is being sent already' });

/** One response that sends a file. */
interface FileResponse {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly representation: Representation;
  /** The first part of the representation. */
  readonly part: Part;
}

interface Options {
  readonly contents: Pick<Contents, 'range'>;
  /** Bounds what readers have not taken, in bytes: of all of them, and of those in one network. */
  readonly maxUnsentBytes: number;
  readonly maxUnsentBytesPerNetwork: number;
}

/** Sends files that are larger than a chunk, in parts, each loaded once the visitor has taken the one before. */
export class LargeFiles {
  readonly #options: Options;
  readonly #readers = new Map<string, number>();
  #readersInAll = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Responds 503 if the readers in all, or those of the visitor's network, take as much as they may. */
  send({ request, response, representation }: FileResponse, status: number, headers: string[], { start, end }: ByteRange): void {
    if (response.destroyed) return;
    const isHead = request.method === 'HEAD';
    if (!isHead && !this.#admit(visitorAddress(request), response)) {
      refused.inc();
      return void sendPage(response, unavailable);
    }
    response.writeHead(status, [...headers, 'Content-Length', String(end - start + 1)]);
    if (isHead) return void response.end();
    sendParts(response, this.#options.contents.range(representation, start, end)).catch((error) =>
      logger.warn({ err: error, sha256: representation.sha256 }, 'large file cut off; its reader must ask again'),
    );
  }

  #admit(network: string, response: ServerResponse): boolean {
    const { maxUnsentBytes, maxUnsentBytesPerNetwork } = this.#options;
    const ofNetwork = (this.#readers.get(network) ?? 0) + 1;
    if (ofNetwork * readerBytes > maxUnsentBytesPerNetwork || (this.#readersInAll + 1) * readerBytes > maxUnsentBytes) return false;
    this.#readers.set(network, ofNetwork);
    this.#readersInAll++;
    response.once('close', () => this.#release(network));
    return true;
  }

  #release(network: string): void {
    const left = (this.#readers.get(network) ?? 0) - 1;
    if (left > 0) this.#readers.set(network, left);
    else this.#readers.delete(network);
    this.#readersInAll--;
  }
}
