import type { RequestListener } from 'node:http';
import { Outbound } from './outbound.ts';
import { forbiddenUrls } from './testing/index.ts';
import { Listener } from './testing/listener.ts';
import { Receiver } from './testing/receiver.ts';

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
