import type { RequestListener } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ResponseStart } from './attempt.ts';
import { Outbound } from './outbound.ts';
import { forbiddenUrls } from './testing/index.ts';
import { Listener } from './testing/listener.ts';
import { answerOf, postTo } from './testing/post-to.ts';
import { Receiver } from './testing/receiver.ts';

test('proxies in the environment are ignored', async () => {
  await using proxy = await Listener.start();
  await using receiver = await Receiver.start((_request, response) => response.end());
  const before = process.env;
  process.env = {
    ...before,
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    http_proxy: `http://127.0.0.1:${proxy.port}`,
    NODE_USE_ENV_PROXY: '1',
  };
  expect(await postTo(`http://127.0.0.1:${receiver.port}/`, receiver.rules())).toMatchObject({ outcome: 'answered' });
  process.env = before;
  expect(proxy.connections).toBe(0);
});

test('requests share connections', async () => {
  await using receiver = await Receiver.start((_request, response) => response.end());
  const outbound = new Outbound(receiver.rules());
  for (let n = 0; n < 5; n += 1) {
    await outbound.post({ url: `http://127.0.0.1:${receiver.port}/${n}`, headers: {}, body: '{}', timeoutMs: 20_000 });
  }
  // A connection is reusable one event-loop tick after its response, so there may be two.
  expect(receiver.requests).toBe(5);
  expect(receiver.connections).toBeLessThanOrEqual(2);
  await outbound.close();
});

test('closing waits for requests in flight and refuses new ones', async () => {
  const arrived = Promise.withResolvers<() => void>();
  await using receiver = await Receiver.start((_request, response) => arrived.resolve(() => response.end('late')));
  const outbound = new Outbound(receiver.rules());
  const send = () => outbound.post({ url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body: '{}', timeoutMs: 20_000 });
  const inFlight = send();
  const release = await arrived.promise;
  const closed = outbound.close();
  expect(await send()).toMatchObject({ outcome: 'failed', reason: 'The sender is shutting down.' });
  release();
  expect(await inFlight).toMatchObject({ outcome: 'answered', response: 'late' });
  await closed;
});

test('a request arrives byte for byte, and its response is returned', async () => {
  const seen: unknown[] = [];
  await using receiver = await Receiver.start((request, response) => {
    const { method, url, headers } = request;
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ method, url, host: headers.host, id: headers['webhook-id'], body: Buffer.concat(chunks).toString() });
      response.writeHead(202).end('taken');
    });
  });
  const answer = await postTo(`http://127.0.0.1:${receiver.port}/hook?a=b#c`, receiver.rules(), {
    headers: { 'webhook-id': 'evt_1' },
    body: '{"name":"Zoë"}',
  });
  expect(seen).toEqual([{ method: 'POST', url: '/hook?a=b', host: `127.0.0.1:${receiver.port}`, id: 'evt_1', body: '{"name":"Zoë"}' }]);
  expect(answer).toEqual({ outcome: 'answered', status: 202, retryAfter: undefined, response: 'taken', latencyMs: expect.any(Number) });
});

test.each([301, 302, 303, 307, 308])('a redirect is returned, not followed: %i', async (status) => {
  await using elsewhere = await Listener.start();
  const location = `http://127.0.0.1:${elsewhere.port}/`;
  expect(await answerOf((_request, response) => response.writeHead(status, { location }).end())).toMatchObject({ status });
  expect(elsewhere.connections).toBe(0);
});

test.each(['120', 'Wed, 21 Oct 2026 07:28:00 GMT'])('Retry-After is returned unchanged: %s', async (retryAfter) => {
  const answer = await answerOf((_request, response) => response.writeHead(503, { 'retry-after': retryAfter }).end());
  expect(answer).toMatchObject({ outcome: 'answered', status: 503, retryAfter });
});

test('the first 1 KB of an endless body is kept, and the connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  await using receiver = await Receiver.start((_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
    };
    response.on('drain', more).on('close', closed.resolve);
    more();
  });
  const outbound = new Outbound(receiver.rules());
  const answer = await outbound.post({ url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body: '{}', timeoutMs: 20_000 });
  expect(answer).toMatchObject({ outcome: 'answered', status: 200, response: 'x'.repeat(1_024) });
  await closed.promise;
  await outbound.close();
});

test('a status counts even if the body never ends or breaks off', async () => {
  const hanging = await answerOf((_request, response) => response.writeHead(200).write('begun'), 5_000);
  expect(hanging).toMatchObject({ outcome: 'answered', status: 200, response: 'begun' });
  const broken = await answerOf((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('begun', () => response.destroy());
  });
  expect(broken).toMatchObject({ outcome: 'answered', status: 200, response: 'begun' });
});

test('interim responses are skipped', async () => {
  const hint: RequestListener = (_request, response) => response.writeEarlyHints({ link: '</a.css>; rel=preload' });
  const answer = await answerOf((request, response) => {
    hint(request, response);
    response.writeHead(204).end();
  });
  expect(answer).toMatchObject({ outcome: 'answered', status: 204 });
  const nothingMore = await answerOf((request, response) => {
    hint(request, response);
    request.socket.end();
  });
  expect(nothingMore).toMatchObject({ outcome: 'failed' });
});

test('a receiver that never responds fails at the timeout', async () => {
  const reason = 'The receiver did not answer within 5 s.';
  expect(await answerOf(() => undefined, 5_000)).toMatchObject({ outcome: 'failed', reason, timedOut: true });
});

test.each<[string, RequestListener, string]>([
  ['closes', (request) => request.socket.end(), 'The receiver closed the connection before it answered.'],
  ['resets the connection', (request) => request.socket.resetAndDestroy(), 'The receiver closed the connection before it answered.'],
  ['speaks another protocol', (request) => request.socket.end('220 mail.example ESMTP\r\n'), 'The answer of the receiver is not HTTP.'],
  [
    'sends huge headers',
    (_request, response) => response.writeHead(200, { 'x-huge': 'x'.repeat(60_000) }).end(),
    'The headers of the answer are larger than 16 KB.',
  ],
])('a receiver that %s fails with a readable reason', async (_what, answer, reason) => {
  const failed = await answerOf(answer);
  expect(failed).toMatchObject({ outcome: 'failed', reason });
  expect(failed).not.toHaveProperty('timedOut');
});

test('a closed port fails as a refused connection', async () => {
  const receiver = await Receiver.start(() => undefined);
  await receiver[Symbol.asyncDispose]();
  expect(await postTo(`http://127.0.0.1:${receiver.port}/`, receiver.rules())).toMatchObject({
    outcome: 'failed',
    reason: 'The receiver refused the connection.',
  });
});

const textOf = (...chunks: (string | Buffer)[]) => {
  const start = new ResponseStart();
  for (const chunk of chunks) start.add(Buffer.from(chunk));
  return start.text();
};

test('the first 1 KB is kept, however it is split', () => {
  expect(textOf()).toBe('');
  expect(textOf('short')).toBe('short');
  expect(textOf('a'.repeat(1_024), 'b')).toBe('a'.repeat(1_024));
  expect(textOf('a'.repeat(1_000), 'b'.repeat(1_000))).toBe('a'.repeat(1_000) + 'b'.repeat(24));
});

test.each(['é', '€', '😀'])('no character is split: %s', (character) => {
  const size = Buffer.byteLength(character);
  for (let before = 1_024 - size; before <= 1_024; before += 1) {
    expect(textOf('a'.repeat(before) + character, 'more')).toBe('a'.repeat(before) + (before + size <= 1_024 ? character : ''));
  }
});

test('bytes that are not UTF-8 become a replacement character', () => {
  expect(textOf(Buffer.from([0x61, 0xff, 0x62]))).toBe('a\u{fffd}b');
  expect(textOf(Buffer.alloc(2_000, 0x80))).toBe('\u{fffd}'.repeat(1_024));
});

const said = JSON.stringify({ error: 'Ärger mit dem Schlüssel' });
test.each<[what: string, headers: Record<string, string>, body: string | Buffer]>([
  ['gzip', { 'content-encoding': 'gzip' }, gzipSync(said)],
  ['gzip in capitals', { 'content-encoding': 'X-GZIP' }, gzipSync(said)],
  ['gzip without a header', {}, gzipSync(said)],
  ['deflate', { 'content-encoding': 'deflate' }, deflateSync(said)],
  ['deflate without its frame', { 'content-encoding': 'deflate' }, deflateRawSync(said)],
  ['Brotli', { 'content-encoding': 'br' }, brotliCompressSync(said)],
  ['Zstandard', { 'content-encoding': 'zstd' }, zstdCompressSync(said)],
  ['text that only calls itself compressed', { 'content-encoding': 'br' }, said],
])('an answer is read as its text: %s', async (_what, headers, body) => {
  expect(await answerOf((_request, response) => response.writeHead(500, headers).end(body))).toMatchObject({ status: 500, response: said });
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)('of a %s answer that unpacks to 256 MB only the beginning is unpacked', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(256 * 1024 * 1024, 'a'));
  const before = process.memoryUsage().arrayBuffers;
  const answer = await answerOf((_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb));
  expect(answer).toMatchObject({ status: 200, response: 'a'.repeat(1_024) });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
});

test('reading stops after 64 KB', () => {
  const start = new ResponseStart();
  expect(start.add(Buffer.alloc(65_536))).toBe(false);
  expect(start.add(Buffer.alloc(1))).toBe(true);
});

const request = { headers: { accept: 'application/json' }, timeoutMs: 20_000, maxBytes: 1000 };

/** The result of a GET of a server that responds like this. */
async function download(answer: RequestListener, more: { timeoutMs?: number } = {}) {
  await using receiver = await Receiver.start(answer);
  const outbound = new Outbound(receiver.rules());
  const result = await outbound.get({ ...request, ...more, url: `http://127.0.0.1:${receiver.port}/client.json?a=b` });
  await outbound.close();
  return result;
}

test('a document of exactly the limit arrives whole, with its status', async () => {
  const seen: unknown[] = [];
  const result = await download(({ method, url, headers }, response) => {
    seen.push([method, url, headers.accept]);
    response.writeHead(203).end('é'.repeat(500));
  });
  expect(seen).toEqual([['GET', '/client.json?a=b', 'application/json']]);
  expect(result).toEqual({ outcome: 'answered', status: 203, body: 'é'.repeat(500) });
});

test('a longer one fails, also one without an end, and the connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const result = await download((_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
    };
    response.on('drain', more).on('close', closed.resolve);
    more();
  });
  expect(result).toEqual({ outcome: 'failed', reason: 'The answer is longer than 1000 bytes.' });
  await closed.promise;
});

test('a response that breaks off or never ends is no document', async () => {
  const broken = await download((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"client', () => response.destroy());
  });
  expect(broken).toMatchObject({ outcome: 'failed' });
  const hanging = await download((_request, response) => void response.writeHead(200).write('{'), { timeoutMs: 500 });
  expect(hanging).toEqual({ outcome: 'failed', reason: 'The server did not answer within 0.5 s.' });
});

test('a redirect is returned, not followed', async () => {
  await using elsewhere = await Listener.start();
  const location = `http://127.0.0.1:${elsewhere.port}/`;
  expect(await download((_request, response) => response.writeHead(302, { location }).end())).toMatchObject({ status: 302 });
  expect(elsewhere.connections).toBe(0);
});

test('an address that is not public is not connected to', async () => {
  await using receiver = await Receiver.start((_request, response) => response.end());
  const outbound = new Outbound(receiver.rules({ allowedCidrs: [] }));
  const refused = new Outbound(receiver.rules({ allowedCidrs: [], allowHttp: false }));
  expect(await outbound.get({ ...request, url: `http://127.0.0.1:${receiver.port}/` })).toMatchObject({ outcome: 'failed' });
  for (const [url] of forbiddenUrls(receiver.port)) expect(await refused.get({ ...request, url })).toMatchObject({ outcome: 'failed' });
  expect(receiver.connections).toBe(0);
  await Promise.all([outbound.close(), refused.close()]);
});
