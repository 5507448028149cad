import type { RequestListener } from 'node:http';
import { Outbound } from './outbound.ts';
import { Listener } from './testing/listener.ts';
import { postTo } from './testing/post-to.ts';
import { Receiver } from './testing/receiver.ts';

const answerOf = async (answer: RequestListener, timeoutMs = 20_000) => {
  await using receiver = await Receiver.start(answer);
  return await postTo(`http://127.0.0.1:${receiver.port}/hook?a=b`, receiver.rules(), { timeoutMs });
};

test('what is sent arrives to the byte, what is answered comes back', async () => {
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

test.each([301, 302, 303, 307, 308])('a redirect is an answer, and is not followed: %i', async (status) => {
  await using elsewhere = await Listener.start();
  const location = `http://127.0.0.1:${elsewhere.port}/`;
  expect(await answerOf((_request, response) => response.writeHead(status, { location }).end())).toMatchObject({ status });
  expect(elsewhere.connections).toBe(0);
});

test.each(['120', 'Wed, 21 Oct 2026 07:28:00 GMT'])('Retry-After is handed on as it came: %s', async (retryAfter) => {
  const answer = await answerOf((_request, response) => response.writeHead(503, { 'retry-after': retryAfter }).end());
  expect(answer).toMatchObject({ outcome: 'answered', status: 503, retryAfter });
});

test('of an endless body the first 1 KB is kept, and the connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const answer = await answerOf((_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(10_000)));
    };
    response.on('drain', more).on('close', () => closed.resolve());
    more();
  });
  expect(answer).toMatchObject({ outcome: 'answered', status: 200, response: 'x'.repeat(1_024) });
  await closed.promise;
});

test('a status is an answer although the body never ends, or breaks off', async () => {
  const hanging = await answerOf((_request, response) => response.writeHead(200).write('begun'), 3_000);
  expect(hanging).toMatchObject({ outcome: 'answered', status: 200, response: 'begun' });
  const broken = await answerOf((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('begun', () => response.destroy());
  });
  expect(broken).toMatchObject({ outcome: 'answered', status: 200, response: 'begun' });
});

test('interim answers are not the answer', async () => {
  const answer = await answerOf((_request, response) => {
    response.writeEarlyHints({ link: '</a.css>; rel=preload' });
    response.writeHead(204).end();
  });
  expect(answer).toMatchObject({ status: 204 });
});

test('a receiver that never answers fails when the time is up', async () => {
  expect(await answerOf(() => undefined, 3_000)).toMatchObject({ outcome: 'failed', reason: 'The receiver did not answer within 3 s.' });
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
])('a receiver that %s is a failure in words', async (_what, answer, reason) => {
  expect(await answerOf(answer)).toMatchObject({ outcome: 'failed', reason });
});

test('a port where nobody listens is a refused connection', async () => {
  const receiver = await Receiver.start(() => undefined);
  await receiver[Symbol.asyncDispose]();
  expect(await postTo(`http://127.0.0.1:${receiver.port}/`, receiver.rules())).toMatchObject({
    outcome: 'failed',
    reason: 'The receiver refused the connection.',
  });
});

test('proxies of the environment are not used', async () => {
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
  // A connection is free again in the turn after its answer, so that there may be two.
  expect(receiver.requests).toBe(5);
  expect(receiver.connections).toBeLessThanOrEqual(2);
  await outbound.close();
});

test('closing waits for what is under way and takes nothing new', async () => {
  const arrived = Promise.withResolvers<() => void>();
  await using receiver = await Receiver.start((_request, response) => arrived.resolve(() => response.end('late')));
  const outbound = new Outbound(receiver.rules());
  const send = () => outbound.post({ url: `http://127.0.0.1:${receiver.port}/`, headers: {}, body: '{}', timeoutMs: 20_000 });
  const underWay = send();
  const release = await arrived.promise;
  const closed = outbound.close();
  expect(await send()).toMatchObject({ outcome: 'failed', reason: 'The sender is shutting down.' });
  release();
  expect(await underWay).toMatchObject({ outcome: 'answered', response: 'late' });
  await closed;
});
