import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { buildConnector } from 'undici';
import * as z from 'zod';
import { OutboundRefusal } from './addresses/guarded-connect.ts';
import { ResponseStart } from './attempt.ts';
import { OriginPools } from './origin-pools.ts';
import { Outbound } from './outbound.ts';
import { outboundConfig, outboundRules } from './outbound-config.ts';
import { forbiddenZone } from './testing/forbidden-zone.ts';
import { forbiddenUrls } from './testing/index.ts';
import { Listener } from './testing/listener.ts';
import { NameServer } from './testing/name-server.ts';
import { answerOf, postTo } from './testing/post-to.ts';
import { Receiver } from './testing/receiver.ts';

describe('outbound', () => {
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
    expect(await answerOf((_request, response) => response.writeHead(500, headers).end(body))).toMatchObject({
      status: 500,
      response: said,
    });
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
});

describe('forbidden urls', () => {
  let listener: Listener;
  let names: NameServer;
  let outbound: Outbound;
  beforeAll(async () => {
    listener = await Listener.start();
    names = await NameServer.start(forbiddenZone);
    outbound = new Outbound({ ports: [443, 8443, listener.port], allowHttp: false, allowedCidrs: [], dnsServers: [names.address] });
  });
  afterAll(async () => {
    await outbound.close();
    await names[Symbol.asyncDispose]();
    await listener[Symbol.asyncDispose]();
  });

  // The listener's port is known once it is open; the test names need none.
  const forms = forbiddenUrls(0).map(([form, why], index) => [why, form, index] as const);
  const urlOf = (index: number) => forbiddenUrls(listener.port)[index]?.[0] ?? '';

  test('the suite covers at least 70 forms', () => {
    expect(new Set(forms.map(([, form]) => form)).size).toBeGreaterThanOrEqual(70);
  });

  test.each(forms)('%s is refused when saved and when called: %j', async (_why, _form, index) => {
    const url = urlOf(index);
    await expect(outbound.assertAllowed(url)).rejects.toBeInstanceOf(OutboundRefusal);
    expect(await outbound.post({ url, headers: {}, body: '{}', timeoutMs: 20_000 })).toMatchObject({ outcome: 'failed' });
    expect(listener.connections).toBe(0);
  });

  const metadata = 'metadata.google.internal';
  test.each([
    metadata,
    `${metadata}.`,
    'METADATA.Google.Internal.',
    'metadata。google。internal。',
    `%6d${metadata.slice(1)}.`,
    `${metadata}..`,
    'printer.local.',
    'db.svc.cluster.local',
    'gateway.home.arpa',
    'intranet',
    'hooks.corp',
  ])('a name that only private networks have is refused when saved, also where it does not resolve: %s', async (host) => {
    names.zone = {};
    await expect(outbound.assertAllowed(`https://${host}:8443/`)).rejects.toBeInstanceOf(OutboundRefusal);
    names.zone = forbiddenZone;
  });

  test('the dot at the end of a name is no part of it', async () => {
    names.zone = { ...forbiddenZone, 'public.example': { A: ['93.184.216.34'] } };
    await outbound.assertAllowed('https://public.example.:8443/hook');
  });

  test('the tests’ listener is reachable once an exception allows it', async () => {
    const reachable = { ports: [listener.port], allowHttp: false, allowedCidrs: ['127.0.0.1'], dnsServers: [] };
    const before = listener.connections;
    expect(await postTo(`https://127.0.0.1:${listener.port}/`, reachable)).toMatchObject({ outcome: 'failed' });
    expect(listener.connections).toBe(before + 1);
  });

  test('public addresses pass, and so does a name that does not resolve yet', async () => {
    names.zone = { ...forbiddenZone, 'public.example': { A: ['93.184.216.34'], AAAA: ['2606:2800:21f:cb07::1'] } };
    await outbound.assertAllowed('https://public.example/hook?a=b');
    await outbound.assertAllowed('https://public.example:8443');
    await outbound.assertAllowed('https://93.184.216.34/');
    await outbound.assertAllowed('https://[2606:2800:21f:cb07::1]/');
    await outbound.assertAllowed('https://not-yet.example/');
  });
});

describe('origin pools', () => {
  const connect = buildConnector({});

  test('an origin keeps its connections until they reach the maximum age', async () => {
    const lasting = new OriginPools(connect);
    expect(lasting.of('https://hooks.example')).toBe(lasting.of('https://hooks.example'));
    const shortLived = new OriginPools(connect, 1);
    const first = shortLived.of('https://hooks.example');
    while (shortLived.of('https://hooks.example') === first) await pause(1);
    expect(first.closed).toBe(true);
    await Promise.all([lasting.destroy(), shortLived.destroy()]);
  });

  test('the least recently used origin is closed when there are too many', async () => {
    const kept = new OriginPools(connect);
    const oldest = kept.of('https://oldest.example');
    const busy = kept.of('https://busy.example');
    for (let n = 0; n < 1_023; n += 1) {
      kept.of(`https://n${n}.example`);
      kept.of('https://busy.example');
    }
    expect(oldest.closed).toBe(true);
    expect(kept.of('https://busy.example')).toBe(busy);
    await kept.destroy();
    expect(busy.destroyed).toBe(true);
  });
});

describe('outbound config', () => {
  const read = (env: Record<string, string>) => outboundRules(z.object(outboundConfig).parse(env));

  test('the default allows only https to the public internet on 443 and 8443', () => {
    expect(read({})).toEqual({ ports: [443, 8443], allowHttp: false, allowedCidrs: [], dnsServers: [] });
  });

  test('ports, ranges of them, http, CIDRs and name servers can be set', () => {
    const rules = read({
      OUTBOUND_PORTS: '443,8000-8002',
      OUTBOUND_ALLOW_HTTP: 'true',
      OUTBOUND_ALLOWED_CIDRS: '10.1.0.0/16,fd00:1::/32,127.0.0.1',
      OUTBOUND_DNS_SERVERS: '127.0.0.1:5353,[::1]:53,9.9.9.9',
    });
    expect(rules).toEqual({
      ports: [443, 8000, 8001, 8002],
      allowHttp: true,
      allowedCidrs: ['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1'],
      dnsServers: ['127.0.0.1:5353', '[::1]:53', '9.9.9.9'],
    });
  });

  test.each([
    ['OUTBOUND_PORTS', ['0', '65536', '443,', '9-3', 'any', '1-99999']],
    ['OUTBOUND_ALLOW_HTTP', ['yes', '1']],
    ['OUTBOUND_ALLOWED_CIDRS', ['10.0.0.0/33', '10.0.0/8', 'example.com', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '0.0.0.0/0x8']],
    ['OUTBOUND_DNS_SERVERS', ['dns.example.com', '9.9.9.9:x', '9.9.9']],
  ])('a malformed %s is refused', (name, values) => {
    for (const value of values) expect(() => read({ [name]: value })).toThrow(/must/);
  });
});
