import type { IncomingMessage, ServerResponse } from 'node:http';
import { isKnown } from '@webkiln/runtime/representations';
import type { Representation } from '../resolutions/representation.ts';
import { wantedRange } from './conditions.ts';

/** Answers that the caller has the bytes already, if that is so: they are not even needed then. */
export function sendIfKnown(request: IncomingMessage, response: ServerResponse, { etag, metadata }: Representation): boolean {
  if (!isKnown(request.headers, etag)) return false;
  response.writeHead(304, [...metadata]).end();
  return true;
}

/** Sends the bytes, or the part of them that is asked for. */
export function sendFile(request: IncomingMessage, response: ServerResponse, representation: Representation, content: Buffer): void {
  const { etag, metadata, ofBytes } = representation;
  const size = content.byteLength;
  const range = request.method === 'GET' ? wantedRange(request.headers, etag, size) : undefined;
  if (range === undefined) return void sendBytes(response, 200, [...metadata, ...ofBytes], content);
  if (range === 'unsatisfiable') return void sendBytes(response, 416, [...metadata, 'Content-Range', `bytes */${size}`], nothing);
  const { start, end } = range;
  sendBytes(response, 206, [...metadata, ...ofBytes, 'Content-Range', `bytes ${start}-${end}/${size}`], content.subarray(start, end + 1));
}

const nothing = Buffer.alloc(0);

/** Sends the site's own page for what it does not have: whole, whatever the request's conditions. */
export function sendMissing(response: ServerResponse, { metadata, ofBytes }: Representation, content: Buffer): void {
  sendBytes(response, 404, [...metadata, ...ofBytes], content);
}

function sendBytes(response: ServerResponse, status: number, headers: string[], content: Buffer): void {
  headers.push('Content-Length', String(content.byteLength));
  response.writeHead(status, headers);
  response.end(content);
}
