import type { IncomingMessage } from 'node:http';

/** The bytes of a body; undefined as soon as they are known to be more than `mostBytes`. Rejects when the caller goes away before the end. */
export function readBytes(request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> {
  if (request.destroyed) return Promise.reject(new Error('the caller went away'));
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > mostBytes) {
        request.removeAllListeners('data');
        resolve(undefined);
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the caller went away')));
  });
}
