import type { IncomingMessage } from 'node:http';

/** Reads a request's body. Undefined as soon as it exceeds `maxBytes`. Rejects if the caller disconnects. */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (request.destroyed) return Promise.reject(new Error('the caller went away'));
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        request.removeAllListeners('data');
        resolve(undefined);
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the caller went away')));
  });
}
