import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { bytesOf, exchange } from './raw-http.ts';

const mb = 1024 * 1024;
const chunkBytes = 64 * 1024;
const betweenChunksMs = 10;

/** Where an abuse goes, and the key it is done with. */
export interface Target {
  readonly origin: string;
  readonly key: string;
}

export interface Refusal {
  readonly status: number | undefined;
  /** From the end of the request, or from the point where it could be refused. */
  readonly afterMs: number;
}

const post = (key: string, headers: readonly (readonly [string, string])[], body?: string | Buffer) =>
  bytesOf({
    method: 'POST',
    target: '/api/v1/plans',
    headers: [['Authorization', `Bearer ${key}`], ['Content-Type', 'application/json'], ['Connection', 'keep-alive'], ...headers],
    body,
  });

/** Bodies and heads that are refused at once, and with what. */
export const abuses: readonly { readonly name: string; readonly status: number; bytes(key: string): Buffer }[] = [
  { name: 'a length of 1 GB', status: 413, bytes: (key) => post(key, [['Content-Length', String(1024 * mb)]]) },
  { name: 'a gzip bomb', status: 415, bytes: (key) => post(key, [['Content-Encoding', 'gzip']], gzipSync(Buffer.alloc(100 * mb, ' '))) },
  { name: 'JSON 100,000 deep', status: 400, bytes: (key) => post(key, [], `${'['.repeat(100_000)}${']'.repeat(100_000)}`) },
  { name: 'a field 100,000 deep', status: 400, bytes: (key) => post(key, [], `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) },
  { name: 'a million keys', status: 413, bytes: (key) => post(key, [], keys(1_000_000)) },
  { name: 'all keys that fit', status: 400, bytes: (key) => post(key, [], keys(90_000)) },
  { name: 'a list of half a million', status: 400, bytes: (key) => post(key, [], `{"name":[${'1,'.repeat(500_000)}1]}`) },
  {
    name: 'bait for regular expressions',
    status: 400,
    bytes: (key) =>
      Buffer.from(
        post(key, [], `{"email":"${'a.'.repeat(120)}@${'a-'.repeat(60)}"}`)
          .toString()
          .replace('/plans', '/clients'),
      ),
  },
  { name: 'headers without end', status: 431, bytes: () => Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\n${'X: y\r\n'.repeat(20_000)}`) },
];

const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}`;

/** Sends what is to be refused and measures until the answer. */
export async function refused({ origin, key }: Target, abuse: (typeof abuses)[number]): Promise<Refusal> {
  const bytes = abuse.bytes(key);
  const since = performance.now();
  const answer = await exchange(origin, bytes);
  return { status: answer?.status, afterMs: performance.now() - since };
}

/** A body that never ends; resolves with its refusal once the server has also cut it off. */
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

/** A head, or a body, that comes a byte a second; resolves when the server has had enough. */
export async function slowRequest({ origin, key }: Target, part: 'head' | 'body'): Promise<Refusal> {
  const socket = await dial(origin);
  const since = performance.now();
  let status: number | undefined;
  socket.on('data', (data) => {
    status ??= statusOf(data);
  });
  const head = `GET /api/v1/plans HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nX-Slow: `;
  socket.write(part === 'head' ? head : post(key, [['Content-Length', '1000']]));
  const drip = setInterval(() => socket.write(' '), 1000);
  await happens(socket, 'close');
  clearInterval(drip);
  return { status, afterMs: performance.now() - since };
}

/** Resolves with the first of these events; unlike `once` of node:events it takes a reset connection for no failure. */
const happens = (socket: Socket, ...events: readonly string[]) =>
  new Promise<void>((resolve) => {
    for (const event of events) socket.once(event, () => resolve());
  });

async function dial(origin: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(origin).port) });
  socket.on('error', () => undefined); // the server's cutting off is no error here
  await once(socket, 'connect');
  return socket;
}

const statusOf = (data: Buffer) => Number(data.subarray(9, 12).toString());
