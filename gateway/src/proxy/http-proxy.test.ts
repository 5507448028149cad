import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { logger } from '@webkiln/runtime';
import { dispatchByHost } from './dispatch-by-host.ts';
import { HttpProxy } from './http-proxy.ts';

const servers: Server[] = [];
const proxies: HttpProxy[] = [];
const level = logger.level;
beforeAll(() => {
  logger.level = 'silent';
});
afterAll(() => {
  logger.level = level;
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

async function listening(handle: RequestListener): Promise<number> {
  // No connection ends because a test took long.
  const server = createServer({ keepAliveTimeout: 600_000 }, handle).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const domains = { sites: 'sites.test', previews: 'preview.test' };
const says =
  (text: string): RequestListener =>
  (_request, response) =>
    void response.end(text);

/** A gateway before replicas of sites. */
async function gatewayBefore(...ports: number[]): Promise<number> {
  const addresses = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const sites = new HttpProxy({ service: 'sites', addresses, clientAddress: () => '203.0.113.7' });
  proxies.push(sites);
  return listening(dispatchByHost(domains, { sites: sites.handle, analytics: says('counted'), origin: says('ours') }));
}

interface Sent {
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

const send = (port: number, path: string, { host = 'shop.sites.test', method = 'GET', headers = {}, body }: Sent = {}) =>
  request({ host: '127.0.0.1', port, path, method, headers: { ...headers, host }, agent: false }).end(body);

async function ask(port: number, path: string, sent?: Sent): Promise<{ response: IncomingMessage; text: string }> {
  const [response] = (await once(send(port, path, sent), 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { response, text };
}

/** A port where nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test.each([
  ['shop.sites.test', 'theirs'],
  ['SHOP.sites.TEST:8080', 'theirs'],
  ['shop.sites.test.', 'theirs'],
  ['a.b.sites.test', 'theirs'],
  ['sites.test', 'theirs'],
  ['token.preview.test', 'theirs'],
  ['preview.test:80', 'theirs'],
  ['localhost:8080', 'ours'],
  ['shopsites.test', 'ours'],
  ['sites.test.example', 'ours'],
  ['', 'ours'],
])('the host "%s" is %s', async (host, whose) => {
  const port = await gatewayBefore(await listening((_request, response) => void response.end('theirs')));
  expect((await ask(port, '/', { host })).text).toBe(whose);
});

test.each([
  ['shop.sites.test', '/t.js', 'counted'],
  ['shop.sites.test', '/t.gif?p=/', 'counted'],
  ['shop.sites.test', '/api/collect', 'counted'],
  ['shop.sites.test', '/api/collected', 'theirs'],
  ['shop.sites.test', '/a/t.js', 'theirs'],
  ['token.preview.test', '/t.js', 'theirs'],
  ['localhost', '/t.js', 'ours'],
])('%s%s is %s', async (host, path, whose) => {
  const port = await gatewayBefore(await listening(says('theirs')));
  expect((await ask(port, path, { host })).text).toBe(whose);
});

test('host, path, query, method and body get through as they came, and the answer as it was given', async () => {
  const upstream = await listening(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    response.writeHead(418, { 'x-one': 'two', etag: '"x"', vary: 'Accept-Encoding' });
    response.end(JSON.stringify({ method, url, host: headers.host, body: Buffer.concat(chunks).toString() }));
  });
  const { response, text } = await ask(await gatewayBefore(upstream), '/a%20b/?q=%2F', { method: 'POST', body: 'sent' });
  expect(JSON.parse(text)).toEqual({ method: 'POST', url: '/a%20b/?q=%2F', host: 'shop.sites.test', body: 'sent' });
  expect([response.statusCode, response.headers['x-one'], response.headers.etag]).toEqual([418, 'two', '"x"']);
});

test('nobody claims to be us, and what concerns one connection stays on it', async () => {
  let seen: IncomingMessage['headers'] = {};
  const upstream = await listening((request, response) => {
    seen = request.headers;
    response.writeHead(200, { 'x-webkiln-secret': 'internal', 'keep-alive': 'timeout=3', 'x-kept': 'yes' }).end();
  });
  const headers = {
    'x-webkiln-principal': 'forged',
    'X-Webkiln-Client-Address': '198.51.100.1',
    'X-Webkiln-Org': 'forged',
    connection: 'close, x-hop',
    'x-hop': 'here only',
    te: 'trailers',
    'proxy-authorization': 'Basic eDp5',
    'x-kept': 'yes',
  };
  const { response } = await ask(await gatewayBefore(upstream), '/', { headers });
  expect(Object.keys(seen).sort()).toEqual(['connection', 'host', 'x-kept', 'x-webkiln-client-address', 'x-webkiln-request-id']);
  expect(seen['x-webkiln-client-address']).toBe('203.0.113.7');
  expect(seen.connection).toBe('keep-alive');
  expect([response.headers['x-webkiln-secret'], response.headers['x-kept']]).toEqual([undefined, 'yes']);
});

test('connections to sites are kept for the next request', async () => {
  const sockets = new Set<unknown>();
  const upstream = await listening((request, response) => {
    sockets.add(request.socket);
    response.end('ok');
  });
  const port = await gatewayBefore(upstream);
  for (let turn = 0; turn < 5; turn++) await ask(port, '/');
  expect(sockets.size).toBe(1);
});

test('an answer is not read faster than its reader takes it', async () => {
  const whole = 64 * 1024 * 1024;
  let written = 0;
  const upstream = await listening((_request, response) => {
    response.writeHead(200, { 'content-length': whole });
    const chunk = Buffer.alloc(64 * 1024);
    const write = () => {
      while (written < whole) {
        written += chunk.byteLength;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  });
  const [response] = (await once(send(await gatewayBefore(upstream), '/'), 'response')) as [IncomingMessage];
  let before = -1;
  while (written !== before) {
    before = written;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(written).toBeLessThan(whole);
  let received = 0;
  for await (const chunk of response) received += chunk.length;
  expect(received).toBe(whole);
});

test('a replica that is not there is passed over, and without any the answer is 503', async () => {
  const there = await listening((_request, response) => void response.end('there'));
  const gone = await deadPort();
  const port = await gatewayBefore(gone, there);
  for (let turn = 0; turn < 4; turn++) expect((await ask(port, '/')).text).toBe('there');
  const { response } = await ask(await gatewayBefore(gone), '/');
  expect([response.statusCode, response.headers['retry-after'], response.headers['cache-control']]).toEqual([503, '2', 'no-store']);
});

test('a request that is tried again has the id that it had, and another one has another', async () => {
  const ids: unknown[] = [];
  const dying = await listening((request) => {
    ids.push(request.headers['x-webkiln-request-id']);
    request.socket.destroy();
  });
  const living = await listening((request, response) => {
    ids.push(request.headers['x-webkiln-request-id']);
    response.end();
  });
  const port = await gatewayBefore(dying, living);
  await ask(port, '/', { headers: { 'x-webkiln-request-id': 'forged' } });
  await ask(port, '/');
  expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
  expect(ids[1]).toBe(ids[0]);
  expect(ids.at(-1)).not.toBe(ids[0]);
});

test('an answer that breaks off never looks like a whole one', async () => {
  const upstream = await listening((_request, response) => {
    response.writeHead(200);
    response.write('half', () => response.destroy());
  });
  await expect(ask(await gatewayBefore(upstream), '/')).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a visitor who goes away takes his request with him', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const upstream = await listening((_request, response) => {
    response.on('close', resolve);
    arrived.resolve();
  });
  const sent = send(await gatewayBefore(upstream), '/').on('error', () => undefined);
  await arrived.promise;
  sent.destroy();
  await closed;
});
