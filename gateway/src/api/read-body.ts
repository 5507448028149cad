import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@webkiln/contract';
import { readBytes } from '@webkiln/runtime';

/** Bytes of a JSON body where the endpoint says nothing else. */
export const usualBytes = 1024 * 1024;

/** Whether a request says that it has a body (RFC 9112 §6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] !== undefined && headers['content-length'] !== '0');

/** Throws `content_type_unsupported` unless the body is plain JSON; a POST without a body needs no type. */
export function assertJson(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type === undefined && request.method === 'POST' && !hasBody(request)) return;
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  // Compressed bodies are not taken: what unpacks to a thousand times its size has no use here.
  if (mediaType !== 'application/json' || encoding !== 'identity') throw new AppError('content_type_unsupported');
}

/** Whether the body is, or may turn out to be, larger than usual. */
export const mayBeLarge = (request: IncomingMessage): boolean =>
  hasBody(request) && !(Number(request.headers['content-length']) <= usualBytes);

/** The bytes of the body; throws `body_too_large` as soon as that is known. */
export async function readBody(request: IncomingMessage, mostBytes = usualBytes): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  const bytes = await readBytes(request, mostBytes).catch((error: unknown) => {
    throw new AppError('malformed_request', [], { cause: error });
  });
  if (bytes === undefined) throw new AppError('body_too_large');
  return bytes;
}

/** The JSON of a body; nothing at all counts as an empty object. Throws `malformed_json`. */
export function parseJson(body: Buffer): unknown {
  if (body.byteLength === 0) return {};
  if (!isUtf8(body)) throw new AppError('malformed_json');
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw new AppError('malformed_json', [], { cause: error });
  }
}
