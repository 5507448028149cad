import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type RequestListener, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { logger } from '@webkiln/runtime';
import { readBody } from './api/exchange.ts';
import { refuse } from './api/response-writer.ts';
import { createHttpServer } from './http-server.ts';
import { closeServers, portOf } from './testing/listening.ts';

beforeAll(() => {
  logger.level = 'silent';
});
afterEach(() => closeServers());

const limits = {
  maxConnections: 1000,
  maxConnectionsPerNetwork: 1000,
  isTrustedProxy: () => false,
  stallTimeoutMs: 600_000,
  minBytesPerSecond: 1000,
  uploadTimeoutMs: 600_000,
};

const serve = (handle: RequestListener, changed: Partial<typeof limits> = {}) =>
  portOf(createHttpServer(handle, { ...limits, ...changed }));

/** More than fits into the buffers of both ends. */
const bodyBytes = 32 * 1024 ** 2;

const unreadBytes = 4 * 1024 ** 2;

const page: RequestListener = (_request, response) => void response.end('page');

/** Reads the body as an API operation does. */
const reader: RequestListener = (received, response) => {
  readBody(received).then(
    (body) => response.end(String(body.length)),
    (error) => refuse(response, error),
  );
};

const send = (port: number, headers: Record<string, string> = {}, localAddress = '127.0.0.1'): ClientRequest =>
  request({ port, host: '127.0.0.1', localAddress, method: 'POST', agent: false, headers }).on('error', () => undefined);

async function statusOf(sent: ClientRequest): Promise<number | undefined> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

async function opened(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

test('a body that stops arriving is answered 408', async () => {
  const sent = send(await serve(reader, { stallTimeoutMs: 100 }), { 'content-length': '1000' });
  sent.write('{');
  expect(await statusOf(sent)).toBe(408);
});

test('a body that trickles below the minimum rate is answered 408', async () => {
  const sent = send(await serve(reader, { stallTimeoutMs: 200, minBytesPerSecond: 100_000 }), { 'content-length': '100000' });
  const drip = setInterval(() => sent.write('a'), 5);
  expect(await statusOf(sent)).toBe(408);
  clearInterval(drip);
});

test('a refusal reaches a client that still sends and does not keep its connection, however late it reads', async () => {
  const closed = Promise.withResolvers<void>();
  const port = await serve((received, response) => {
    received.socket.once('close', () => closed.resolve());
    response.writeHead(413, { 'content-length': '7' }).end('too big');
  });
  const client = (await opened(port, '127.0.0.1')).pause();
  const head = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${bodyBytes}\r\n\r\n`;
  // More than the server reads by itself, and all of it in the kernel's buffers: a write that waits would fail later.
  client.write(Buffer.concat([Buffer.from(head), Buffer.alloc(unreadBytes)]));
  await closed.promise;
  expect(await text(client)).toMatch(/^HTTP\/1.1 413 .*too big$/s);
});

test('a body that arrives steadily is read however long it takes, and one that nobody reads yet is not cut off', async () => {
  const port = await serve((received, response) => void setTimeout(() => reader(received, response), 2500), { stallTimeoutMs: 2000 });
  const sent = send(port, { 'content-length': '300000' });
  let left = 300;
  const steady = setInterval(() => {
    sent.write(Buffer.alloc(1000));
    left--;
    if (left === 0) clearInterval(steady);
  }, 10);
  expect(await statusOf(sent)).toBe(200);
});

test('a client that does not read a response is disconnected; one whose answer takes long is not', async () => {
  const port = await serve(
    (received, response) =>
      void (received.url === '/large' ? response.end(Buffer.alloc(64 * 1024 * 1024)) : setTimeout(() => response.end('late'), 3000)),
    { stallTimeoutMs: 2000 }, // Less, and a busy machine may pause as long between connecting and sending.
  );
  const unread = await opened(port, '127.0.0.1');
  // The connection may end by a reset, which `once` would throw.
  const closed = new Promise((resolve) => unread.on('close', resolve));
  unread.pause().write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await statusOf(send(port).end())).toBe(200);
  unread.resume();
  await closed;
});

test('a network with as many connections as it may have gets 429; another network is served, and closing makes room', async () => {
  const port = await serve(page, { maxConnectionsPerNetwork: 2 });
  const held = [await opened(port, '127.0.0.2'), await opened(port, '127.0.0.2')];
  expect(await statusOf(send(port, {}, '127.0.0.2').end())).toBe(429);
  expect(await statusOf(send(port, {}, '127.0.0.3').end())).toBe(200);
  for (const socket of held) socket.end();
  await Promise.all(held.map((socket) => once(socket.resume(), 'close')));
  expect(await statusOf(send(port, {}, '127.0.0.2').end())).toBe(200);
});

test('connections of a trusted proxy count for no network', async () => {
  const port = await serve(page, { maxConnectionsPerNetwork: 1, isTrustedProxy: () => true });
  await opened(port, '127.0.0.2');
  expect(await statusOf(send(port, {}, '127.0.0.2').end())).toBe(200);
});
