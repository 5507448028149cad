import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import { readBytes } from '@webkiln/http';

/** Limit of a JSON body unless the operation sets its own `bodyBytes`. */
const defaultMaxBytes = 1024 * 1024;

/** True if the request announces a body (RFC 9112 §6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** Frees a chunk of a body at once: left to the garbage collector, megabytes of them cost more than to read them. */
export function freeChunk({ buffer, byteLength }: Buffer<ArrayBufferLike>): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}

const mediaTypeOf = ({ headers }: IncomingMessage) => headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();

/** True if the request says that its body is a zip. */
export const sendsZip = (request: IncomingMessage): boolean => mediaTypeOf(request) === 'application/zip';

/**
 * Throws `content_type_unsupported` unless the body is plain JSON, or a zip where one is taken; a POST without a body
 * needs no type.
 */
export function assertMediaType(request: IncomingMessage, takesZip = false): void {
  const mediaType = mediaTypeOf(request);
  if (mediaType === undefined && request.method === 'POST' && !hasBody(request)) return;
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  // Compressed bodies are refused: a small one could unpack to a thousand times its size.
  if (encoding === 'identity' && (mediaType === 'application/json' || (takesZip && sendsZip(request)))) return;
  const types = takesZip ? [{ path: 'Content-Type', message: 'must be application/json or application/zip' }] : [];
  throw new AppError('content_type_unsupported', types);
}

/** True if the body exceeds the default limit or has no declared length. */
export const mayBeLarge = (request: IncomingMessage): boolean =>
  hasBody(request) && !(Number(request.headers['content-length']) <= defaultMaxBytes);

/** Throws `body_too_large` as soon as the limit is passed, `malformed_request` if it breaks off, `body_too_slow`. */
export async function readBody(request: IncomingMessage, maxBytes = defaultMaxBytes): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  const bytes = await readBytes(request, maxBytes).catch((error: unknown) => {
    throw error instanceof AppError ? error : new AppError('malformed_request', [], { cause: error });
  });
  if (bytes === undefined) throw new AppError('body_too_large');
  return bytes;
}

/** Parses a JSON body; an empty body is an empty object. Throws `malformed_json`. */
export function parseJson(body: Buffer): unknown {
  if (body.byteLength === 0) return {};
  if (!isUtf8(body)) throw new AppError('malformed_json');
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
}

const maxValues = 20_000;
/** So often in a long string its end is searched for natively: much faster over far, and slower over near. */
const bytesPerSearch = 256;
const [quote, backslash, comma, colon, bracket, brace] = [...'"\\,:[{'].map((character) => character.charCodeAt(0));

/**
 * Throws `validation_failed` for a large JSON body with more than 20,000 keys, elements and containers.
 * Parsing many small values takes a multiple of the body's bytes in memory; legitimate large bodies are a few long
 * strings.
 * One pass over the bytes. Malformed JSON is left to the parser.
 */
export function assertFewValues(body: Buffer): void {
  let values = 0;
  let inString = false;
  let searchAt = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (inString) {
      if (byte === quote) inString = false;
      else if (byte === backslash) at++;
      else if (at >= searchAt) {
        at = beforeQuote(body, at);
        searchAt = at + bytesPerSearch;
      }
    } else if (byte === quote) {
      inString = true;
      searchAt = at + bytesPerSearch;
    } else if (byte === comma || byte === colon || byte === bracket || byte === brace) values++;
  }
  if (values > maxValues) throw new AppError('validation_failed', [{ path: '', message: 'The body has too many values' }]);
}

/** The position before the next quote, or that of the quote if it is escaped. `at` is in a string, and no backslash. */
function beforeQuote(body: Buffer, at: number): number {
  const next = body.indexOf(quote as number, at + 1);
  if (next === -1) return body.length;
  let first = next;
  while (body[first - 1] === backslash) first--;
  return (next - first) % 2 === 0 ? next - 1 : next;
}
