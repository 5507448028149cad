import type { IncomingMessage } from 'node:http';

/** Larger than any form that people fill in without an upload. */
const maxSmallBytes = 64 * 1024;

/**
 * Reads a body of up to 64 KB whole, so that a slow client holds no upstream connection. Undefined for a larger body,
 * which stays to be read from the request as if nothing had been. Rejects if the client disconnects or is too slow.
 */
export function readSmallBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (request.destroyed) return Promise.reject(new Error('the client disconnected'));
  if (Number(request.headers['content-length'] ?? 0) > maxSmallBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= maxSmallBytes) return;
      stop();
      request.pause();
      request.unshift(Buffer.concat(chunks));
      resolve(undefined);
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onError = (error = new Error('the client disconnected')) => {
      stop();
      reject(error);
    };
    const stop = () => request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
  });
}
