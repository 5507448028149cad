import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { acceptedEncoding, type Encoding, isKnown } from '@webkiln/runtime/representations';
import { minified } from './minified.ts';

interface Form {
  readonly etag: string;
  readonly body: Buffer;
  /** Also of the answer that the caller has it. */
  readonly metadata: readonly string[];
  readonly headers: readonly string[];
}

const digest = hash('sha256', minified).slice(0, 32);

function formOf(encoding: Encoding, body: Buffer): Form {
  const etag = encoding === '' ? `"${digest}"` : `"${digest}-${encoding}"`;
  const metadata = ['ETag', etag, 'Cache-Control', 'public, max-age=3600', 'Vary', 'Accept-Encoding', 'X-Content-Type-Options', 'nosniff'];
  const coding = encoding === '' ? [] : ['Content-Encoding', encoding];
  const type = ['Content-Type', 'text/javascript; charset=utf-8', 'Content-Length', String(body.byteLength)];
  return { etag, body, metadata, headers: [...metadata, ...type, ...coding] };
}

const forms: Readonly<Record<Encoding, Form>> = {
  '': formOf('', Buffer.from(minified)),
  br: formOf('br', brotliCompressSync(minified)),
  gzip: formOf('gzip', gzipSync(minified)),
};
const prepared: readonly Encoding[] = ['br', 'gzip'];

/** Answers GET and HEAD of /t.js: the tracker in the form that the caller reads, or that he has it already. */
export function sendTracker({ headers: asked }: IncomingMessage, response: ServerResponse): void {
  const { etag, body, metadata, headers } = forms[acceptedEncoding(asked['accept-encoding'] as string | undefined, prepared)];
  if (isKnown(asked, etag)) {
    response.writeHead(304, [...metadata]).end();
    return;
  }
  response.writeHead(200, [...headers]).end(body);
}
