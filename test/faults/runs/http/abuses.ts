import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bytesOf, exchange } from './raw-http.ts';

const mb = 1024 * 1024;
const chunkBytes = 64 * 1024;
const betweenChunksMs = 10;

/** The gateway to abuse, and the API key to use. */
export interface Target {
  readonly origin: string;
  readonly key: string;
}

export interface Refusal {
  readonly status: number | undefined;
  /** Measured from the end of the request, or from the point where it could be refused. */
  readonly afterMs: number;
}

const post = (key: string, headers: readonly (readonly [string, string])[], body?: string | Buffer) =>
  bytesOf({
    method: 'POST',
    target: '/api/v1/plans',
    headers: [['Authorization', `Bearer ${key}`], ['Content-Type', 'application/json'], ['Connection', 'keep-alive'], ...headers],
    body,
  });

/** Bodies and heads that must be refused at once, with the expected status. */
export const abuses: readonly { readonly name: string; readonly status: number; bytes(key: string): Buffer }[] = [
  { name: 'a Content-Length of 1 GB', status: 413, bytes: (key) => post(key, [['Content-Length', String(1024 * mb)]]) },
  { name: 'a gzip bomb', status: 415, bytes: (key) => post(key, [['Content-Encoding', 'gzip']], gzipSync(Buffer.alloc(100 * mb, ' '))) },
  { name: 'JSON nested 100,000 deep', status: 400, bytes: (key) => post(key, [], `${'['.repeat(100_000)}${']'.repeat(100_000)}`) },
  {
    name: 'a field nested 100,000 deep',
    status: 400,
    bytes: (key) => post(key, [], `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  },
  { name: 'an object of a million keys', status: 413, bytes: (key) => post(key, [], keys(1_000_000)) },
  { name: 'as many keys as fit', status: 400, bytes: (key) => post(key, [], keys(90_000)) },
  { name: 'a list of half a million items', status: 400, bytes: (key) => post(key, [], `{"name":[${'1,'.repeat(500_000)}1]}`) },
  {
    name: 'input for catastrophic regular expressions',
    status: 400,
    bytes: (key) =>
      Buffer.from(
        post(key, [], `{"email":"${'a.'.repeat(120)}@${'a-'.repeat(60)}"}`)
          .toString()
          .replace('/plans', '/clients'),
      ),
  },
  { name: 'endless headers', status: 431, bytes: () => Buffer.from(`GET / HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(20_000)}`) },
];

const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;

/** Sends an abuse and measures the time until the answer. */
export async function refused({ origin, key }: Target, abuse: (typeof abuses)[number]): Promise<Refusal> {
  const bytes = abuse.bytes(key);
  const since = performance.now();
  const answer = await exchange(origin, bytes);
  return { status: answer?.status, afterMs: performance.now() - since };
}

/** Sends a body that never ends. Resolves when the server has closed the connection. */
export async function endlessBody({ origin, key }: Target): Promise<Refusal & { readonly cutOffMs: number }> {
  const socket = await dial(origin);
  const since = performance.now();
  let [status, afterMs] = [undefined as number | undefined, Number.POSITIVE_INFINITY];
  socket.on('data', (data) => {
    status ??= statusOf(data);
    afterMs = Math.min(afterMs, performance.now() - since);
  });
  socket.write(post(key, [['Transfer-Encoding', 'chunked']]));
  const chunk = Buffer.from(`${chunkBytes.toString(16)}\r\n${'x'.repeat(chunkBytes)}\r\n`);
  while (!socket.destroyed && socket.writable) {
    if (!socket.write(chunk)) await happens(socket, 'drain', 'close');
    await pause(betweenChunksMs);
  }
  return { status, afterMs, cutOffMs: performance.now() - since };
}

/** Sends a head or a body at one byte per second. Resolves when the server closes the connection. */
export async function slowRequest({ origin, key }: Target, part: 'head' | 'body'): Promise<Refusal> {
  const socket = await dial(origin);
  const since = performance.now();
  let status: number | undefined;
  socket.on('data', (data) => {
    status ??= statusOf(data);
  });
  const head = `GET /api/v1/plans HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nX-Slow: `;
  socket.write(part === 'head' ? head : post(key, [['Content-Length', '1000']]));
  const drip = setInterval(() => socket.write(' '), 1000);
  await happens(socket, 'close');
  clearInterval(drip);
  return { status, afterMs: performance.now() - since };
}

/** Resolves on the first of these events. Unlike `once` of node:events it does not reject on a connection reset. */
const happens = (socket: Socket, ...events: readonly string[]) =>
  new Promise<void>((resolve) => {
    for (const event of events) socket.once(event, () => resolve());
  });

async function dial(origin: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(origin).port) });
  socket.on('error', () => undefined); // a reset by the server is expected
  await once(socket, 'connect');
  return socket;
}

const statusOf = (data: Buffer) => Number(data.subarray(9, 12).toString());
