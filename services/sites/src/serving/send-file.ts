import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedEncoding, isKnown } from '@webkiln/http';
import type { Representation } from '../resolutions/representation.ts';
import type { PublishedFile } from '../resolutions/site.ts';
import { requestedRange } from './byte-range.ts';
import type { FileResponse, LargeFiles } from './large-files.ts';

/** Selects the representation of a file by the request's Accept-Encoding. */
export const negotiate = ({ headers }: IncomingMessage, file: PublishedFile): Representation =>
  file.representation(acceptedEncoding(headers['accept-encoding'] as string | undefined, file.encodings));

/** Sends 304 and returns true if the caller has the bytes already; the content is not loaded then. */
export function sendIfNotModified(request: IncomingMessage, response: ServerResponse, { etag, headers }: Representation): boolean {
  if (!isKnown(request.headers, etag)) return false;
  response.writeHead(304, [...headers]).end();
  return true;
}

/** Sends the bytes, or the range of them that the request asks for. */
export function sendFile(file: FileResponse, largeFiles: LargeFiles): void {
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
export function sendNotFound(file: FileResponse, largeFiles: LargeFiles): void {
  const { response, representation, part } = file;
  const headers = [...representation.headers, ...representation.contentHeaders];
  if (part.content.byteLength < part.size) largeFiles.send(file, 404, headers, { start: 0, end: part.size - 1 });
  else sendBytes(response, 404, headers, part.content);
}

/** Must be revalidated on every request, because the next deploy may have a file at this path. */
export function sendRedirect(response: ServerResponse, location: string): void {
  response.writeHead(301, ['Location', location, 'Cache-Control', 'no-cache', 'Content-Length', '0']).end();
}

function sendBytes(response: ServerResponse, status: number, headers: string[], content: Buffer): void {
  headers.push('Content-Length', String(content.byteLength));
  response.writeHead(status, headers);
  response.end(content);
}
