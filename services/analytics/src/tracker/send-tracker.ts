import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { acceptedEncoding, type Encoding, isKnown } from '@webkiln/http';
import { minified } from './minified.ts';

interface Representation {
  readonly etag: string;
  readonly body: Buffer;
  /** Also sent with 304. */
  readonly metadata: readonly string[];
  readonly headers: readonly string[];
}

const digest = hash('sha256', minified).slice(0, 32);

function buildRepresentation(encoding: Encoding, body: Buffer): Representation {
  const etag = encoding === '' ? `"${digest}"` : `"${digest}-${encoding}"`;
  const metadata = ['ETag', etag, 'Cache-Control', 'public, max-age=3600', 'Vary', 'Accept-Encoding', 'X-Content-Type-Options', 'nosniff'];
  const coding = encoding === '' ? [] : ['Content-Encoding', encoding];
  const type = ['Content-Type', 'text/javascript; charset=utf-8', 'Content-Length', String(body.byteLength)];
  return { etag, body, metadata, headers: [...metadata, ...type, ...coding] };
}

const representations: Readonly<Record<Encoding, Representation>> = {
  '': buildRepresentation('', Buffer.from(minified)),
  br: buildRepresentation('br', brotliCompressSync(minified)),
  gzip: buildRepresentation('gzip', gzipSync(minified)),
};
const precompressed: readonly Encoding[] = ['br', 'gzip'];

/** Serves GET and HEAD of /t.js in the encoding that the client accepts, or 304 if the client has it. */
export function sendTracker({ headers: requestHeaders }: IncomingMessage, response: ServerResponse): void {
  const { etag, body, metadata, headers } =
    representations[acceptedEncoding(requestHeaders['accept-encoding'] as string | undefined, precompressed)];
  if (isKnown(requestHeaders, etag)) {
    response.writeHead(304, [...metadata]).end();
    return;
  }
  response.writeHead(200, [...headers]).end(body);
}
