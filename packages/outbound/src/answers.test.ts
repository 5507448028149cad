import type { RequestListener } from 'node:http';
import { Outbound } from './outbound.ts';
import { Listener } from './testing/listener.ts';
import { answerOf, postTo } from './testing/post-to.ts';
import { Receiver } from './testing/receiver.ts';

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
