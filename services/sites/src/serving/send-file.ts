import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedEncoding, isKnown } from '@webkiln/http';
import type { Representation } from '../resolutions/representation.ts';
import type { PublishedFile } from '../resolutions/site.ts';
import { requestedRange } from './byte-range.ts';

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
export function sendFile(request: IncomingMessage, response: ServerResponse, representation: Representation, content: Buffer): void {
  const { etag, headers, contentHeaders } = representation;
  const size = content.byteLength;
  const range = request.method === 'GET' ? requestedRange(request.headers, etag, size) : undefined;
  if (range === undefined) return void sendBytes(response, 200, [...headers, ...contentHeaders], content);
  if (range === 'unsatisfiable') return void sendBytes(response, 416, [...headers, 'Content-Range', `bytes */${size}`], noContent);
  const { start, end } = range;
  const rangeHeaders = [...headers, ...contentHeaders, 'Content-Range', `bytes ${start}-${end}/${size}`];
  sendBytes(response, 206, rangeHeaders, content.subarray(start, end + 1));
}

const noContent = Buffer.alloc(0);

/** Sends the site's own 404 page, complete: conditional and range headers do not apply to an error. */
export function sendNotFound(response: ServerResponse, { headers, contentHeaders }: Representation, content: Buffer): void {
  sendBytes(response, 404, [...headers, ...contentHeaders], content);
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
