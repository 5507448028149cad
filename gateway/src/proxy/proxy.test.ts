import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createHttpServer } from '@webkiln/http';
import { logger, type TlsIdentity } from '@webkiln/runtime';
import { Authority } from '@webkiln/runtime/testing/certificates';
import { MountedIdentities } from '@webkiln/runtime/testing/mounted-identities';
import { closeServers, listening } from '../testing/listening.ts';
import { dispatchByHost } from './dispatch-by-host.ts';
import { HttpProxy } from './proxy.ts';

const proxies: HttpProxy[] = [];
const level = logger.level;
beforeAll(() => {
  logger.level = 'silent';
});
afterAll(() => {
  logger.level = level;
});
afterEach(async () => {
  closeServers();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

const domains = { sites: 'sites.test', previews: 'preview.test', origin: 'app.test', aliases: ['gateway.internal.example'] };
/** One domain is known, one is looked up. */
const customDomains = {
  cached: (name: string) => (name === 'www.shop.example' ? true : undefined),
  find: async (name: string) => name === 'new.example',
};
const respondWith =
  (text: string): RequestListener =>
  (_request, response) =>
    void response.end(text);

/** The visitor's network has had too many unknown names looked up; how many were counted. */
let [isRefused, counted] = [false, 0];
/** Until then answers about unknown names wait. */
let held: Promise<void> | undefined;
beforeEach(() => {
  [isRefused, counted, held] = [false, 0, undefined];
});

const limits = { connectionsPerReplica: 128, maxPerNetwork: 64, maxWaitMs: 60_000, stallTimeoutMs: 60_000 };

/** A gateway in front of replicas of sites. */
async function gatewayTo(...ports: number[]): Promise<number> {
  const quota = {
    isRefused: () => isRefused,
    async count() {
      counted++;
      await held;
    },
  };
  const addresses = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const sites = new HttpProxy({ service: 'sites', addresses, clientAddress: () => '203.0.113.7', limits, unknownNames: quota });
  proxies.push(sites);
  const others = { analytics: respondWith('analytics'), origin: respondWith('origin'), mcp: respondWith('mcp') };
  return listening(dispatchByHost(domains, customDomains, { sites: sites.handle, ...others }, quota));
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

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test.each([
  ['shop.sites.test', 'sites'],
  ['SHOP.sites.TEST:8080', 'sites'],
  ['shop.sites.test.', 'sites'],
  ['a.b.sites.test', 'sites'],
  ['sites.test', 'sites'],
  ['token.preview.test', 'sites'],
  ['preview.test:80', 'sites'],
  ['localhost:8080', 'origin'],
  ['www.shop.example', 'sites'],
  ['WWW.Shop.example.:8080', 'sites'],
  ['new.example', 'sites'],
  ['app.test', 'origin'],
  ['APP.test.:443', 'origin'],
  ['gateway.internal.example', 'origin'],
  ['127.0.0.1:8080', 'origin'],
  ['[::1]:8080', 'origin'],
  ['10.0.0.7', 'origin'],
  ['[fd00::7]:8080', 'origin'],
])('host "%s" is served by %s', async (host, service) => {
  const port = await gatewayTo(await listening((_request, response) => void response.end('sites')));
  expect((await ask(port, '/', { host })).text).toBe(service);
});

test.each([
  'unknown.example',
  'app.test.unknown.example',
  'deep.app.test',
  'shopsites.test',
  'sites.test.example',
  'gateway',
  '203.0.113.7',
  '[2001:db8::7]:443',
  'app.test:443:443',
])('host "%s" is nobody\'s, and gets neither the dashboard nor the API nor a site', async (host) => {
  const port = await gatewayTo(await listening(respondWith('sites')));
  for (const path of ['/', '/sign-in', '/t.js']) {
    const { response, text } = await ask(port, path, { host });
    expect([response.statusCode, text]).toEqual([421, expect.stringContaining('There is no website at this address')]);
  }
  for (const path of ['/api/v1/clients', '/api/mcp', '/api/auth/session']) {
    const { response, text } = await ask(port, path, { host });
    expect([response.statusCode, JSON.parse(text)]).toMatchObject([421, { code: 'unknown_host' }]);
  }
});

test('the answer about a name without a site waits as long as its network has to; that of another name does not', async () => {
  const port = await gatewayTo(
    await listening(({ headers }, response) => {
      if (headers.host === 'unknown.sites.test') response.setHeader('x-webkiln-unknown-name', '1');
      response.end('answered');
    }),
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  const unknown = ['unknown.sites.test', 'unknown.example'].map((host) => ask(port, '/', { host }));
  while (counted < 2) await new Promise(setImmediate);
  expect((await ask(port, '/', { host: 'shop.sites.test' })).text).toBe('answered');
  expect(await Promise.race([...unknown, 'still waiting'])).toBe('still waiting');
  resolve();
  expect((await Promise.all(unknown)).map(({ response }) => response.statusCode)).toEqual([200, 421]);
});

test('names without a site count for the network of the visitor; beyond its quota known names alone are served', async () => {
  const port = await gatewayTo(
    await listening(({ headers }, response) => {
      if (headers.host === 'unknown.sites.test') response.setHeader('x-webkiln-unknown-name', '1');
      response.end(headers['x-webkiln-known-names-only'] === undefined ? 'looked up' : 'from memory');
    }),
  );
  const status = async (host: string) =>
    (await ask(port, '/', { host, headers: { 'x-webkiln-known-names-only': '1' } })).response.statusCode;
  const text = async (host: string) => (await ask(port, '/', { host })).text;
  expect([await status('www.shop.example'), await status('new.example'), await text('shop.sites.test'), counted]).toEqual([
    200,
    200,
    'looked up',
    0,
  ]);
  expect([await status('unknown.sites.test'), await status('unknown.example'), counted]).toEqual([200, 421, 2]);
  expect((await ask(port, '/', { host: 'unknown.sites.test' })).response.headers).not.toHaveProperty('x-webkiln-unknown-name');
  isRefused = true;
  expect([await text('www.shop.example'), await text('shop.sites.test'), await text('app.test')]).toEqual([
    'from memory',
    'from memory',
    'origin',
  ]);
  expect([await status('unknown.example'), await status('new.example')]).toEqual([429, 429]);
});

test('a program that speaks HTTP/1.0 and names no host reaches the platform', async () => {
  const socket = connect(await gatewayTo(await listening(respondWith('sites'))), '127.0.0.1').end('GET / HTTP/1.0\r\n\r\n');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  expect(text).toMatch(/origin$/);
});

test.each([
  ['shop.sites.test', '/t.js', 'analytics'],
  ['shop.sites.test', '/t.gif?p=/', 'analytics'],
  ['www.shop.example', '/t.js', 'analytics'],
  ['new.example', '/api/collect', 'analytics'],
  ['www.shop.example', '/api/mcp', 'sites'],
  ['shop.sites.test', '/api/collect', 'analytics'],
  ['shop.sites.test', '/api/collected', 'sites'],
  ['shop.sites.test', '/a/t.js', 'sites'],
  ['token.preview.test', '/t.js', 'sites'],
  ['localhost', '/t.js', 'origin'],
])('%s%s is served by %s', async (host, path, service) => {
  const port = await gatewayTo(await listening(respondWith('sites')));
  expect((await ask(port, path, { host })).text).toBe(service);
});

test('host, path, query, method and body are forwarded unchanged, and so is the response', async () => {
  const upstream = await listening(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    response.writeHead(418, { 'x-one': 'two', etag: '"x"', vary: 'Accept-Encoding' });
    response.end(JSON.stringify({ method, url, host: headers.host, body: Buffer.concat(chunks).toString() }));
  });
  const { response, text } = await ask(await gatewayTo(upstream), '/a%20b/?q=%2F', { method: 'POST', body: 'sent' });
  expect(JSON.parse(text)).toEqual({ method: 'POST', url: '/a%20b/?q=%2F', host: 'shop.sites.test', body: 'sent' });
  expect([response.statusCode, response.headers['x-one'], response.headers.etag]).toEqual([418, 'two', '"x"']);
});

test('internal x-webkiln-* and hop-by-hop headers are forwarded in neither direction', async () => {
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
  const { response } = await ask(await gatewayTo(upstream), '/', { headers });
  expect(Object.keys(seen).sort()).toEqual(['connection', 'host', 'x-kept', 'x-webkiln-client-address', 'x-webkiln-request-id']);
  expect(seen['x-webkiln-client-address']).toBe('203.0.113.7');
  expect(seen.connection).toBe('keep-alive');
  expect([response.headers['x-webkiln-secret'], response.headers['x-kept']]).toEqual([undefined, 'yes']);
});

test('upstream connections are reused', async () => {
  const sockets = new Set<unknown>();
  const upstream = await listening((request, response) => {
    sockets.add(request.socket);
    response.end('ok');
  });
  const port = await gatewayTo(upstream);
  for (let request = 0; request < 5; request++) await ask(port, '/');
  expect(sockets.size).toBe(1);
});

test('a slow client slows down the upstream response (backpressure)', async () => {
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
  const [response] = (await once(send(await gatewayTo(upstream), '/'), 'response')) as [IncomingMessage];
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

test('an unreachable replica is skipped, and without any replica the response is 503', async () => {
  const alive = await listening((_request, response) => void response.end('alive'));
  const closed = await closedPort();
  const port = await gatewayTo(closed, alive);
  for (let request = 0; request < 4; request++) expect((await ask(port, '/')).text).toBe('alive');
  const { response } = await ask(await gatewayTo(closed), '/');
  expect([response.statusCode, response.headers['retry-after'], response.headers['cache-control']]).toEqual([503, '2', 'no-store']);
});

test('a retry keeps its request id, and another request has another id', async () => {
  const ids: unknown[] = [];
  const dying = await listening((request) => {
    ids.push(request.headers['x-webkiln-request-id']);
    request.socket.destroy();
  });
  const living = await listening((request, response) => {
    ids.push(request.headers['x-webkiln-request-id']);
    response.end();
  });
  const port = await gatewayTo(dying, living);
  await ask(port, '/', { headers: { 'x-webkiln-request-id': 'forged' } });
  await ask(port, '/');
  expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
  expect(ids[1]).toBe(ids[0]);
  expect(ids.at(-1)).not.toBe(ids[0]);
});

test('a truncated upstream response never looks complete to the client', async () => {
  const upstream = await listening((_request, response) => {
    response.writeHead(200);
    response.write('half', () => response.destroy());
  });
  await expect(ask(await gatewayTo(upstream), '/')).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('a client that disconnects cancels the upstream request', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const upstream = await listening((_request, response) => {
    response.on('close', resolve);
    arrived.resolve();
  });
  const sent = send(await gatewayTo(upstream), '/').on('error', () => undefined);
  await arrived.promise;
  sent.destroy();
  await closed;
});

describe('mutual TLS', () => {
  let ours: Authority;
  let foreign: Authority;
  const servers: Server[] = [];
  const identities = new MountedIdentities();
  beforeAll(async () => {
    ours = await Authority.create();
    foreign = await Authority.create();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
    identities.release();
  });

  async function servedBy(tls: TlsIdentity): Promise<number> {
    const server = createHttpServer((_request, response) => void response.end('the site'), tls);
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function gatewayOf(port: number, tls: TlsIdentity): Promise<number> {
    const proxy = new HttpProxy({ service: 'sites', addresses: `127.0.0.1:${port}`, clientAddress: () => '203.0.113.7', limits, tls });
    proxies.push(proxy);
    return listening(proxy.handle);
  }

  async function statusAt(port: number, host = 'shop.sites.test'): Promise<number | undefined> {
    const sent = request({ host: '127.0.0.1', port, agent: false, headers: { host } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  }

  test.each([
    ['both have certificates of one authority', 200, () => ours.issue('gateway'), () => ours.issue('sites')],
    ['the certificate of the gateway is of another authority', 503, () => foreign.issue('gateway'), () => ours.issue('sites')],
    ['the caller is another process than the gateway', 503, () => ours.issue('webhooks'), () => ours.issue('sites')],
    ['the service has the name of another one', 503, () => ours.issue('gateway'), () => ours.issue('identity')],
    ['the certificate of the service is of another authority', 503, () => ours.issue('gateway'), () => foreign.issue('sites')],
  ])('if %s, visitors get %i', async (_case, status, gateway, sites) => {
    const port = await servedBy(identities.mount(await sites()).tls);
    expect(await statusAt(await gatewayOf(port, identities.mount(await gateway()).tls))).toBe(status);
  });

  test('visitors of several sites share one connection to the service', async () => {
    const port = await servedBy(identities.mount(await ours.issue('sites')).tls);
    let connections = 0;
    servers[0]?.on('secureConnection', () => connections++);
    const gateway = await gatewayOf(port, identities.mount(await ours.issue('gateway')).tls);
    for (const host of ['shop.sites.test', 'bakery.sites.test']) expect(await statusAt(gateway, host)).toBe(200);
    expect(connections).toBe(1);
  });

  test('a gateway without TLS gets nothing from a service with it', async () => {
    const port = await servedBy(identities.mount(await ours.issue('sites')).tls);
    const sent = request({ host: '127.0.0.1', port, agent: false }).end();
    await expect(once(sent, 'response')).rejects.toThrow();
  });

  test('gateway and service use new files for new connections, without a restart', async () => {
    const [sites, gateway] = [identities.mount(await ours.issue('sites')), identities.mount(await ours.issue('gateway'))];
    const port = await servedBy(sites.tls);
    const changed = Promise.all([sites, gateway].map(({ tls }) => once(tls, 'change')));
    sites.mount.replace(await foreign.issue('sites'));
    gateway.mount.replace(await foreign.issue('gateway'));
    await changed;
    expect(await statusAt(await gatewayOf(port, gateway.tls))).toBe(200);
    expect(await statusAt(await gatewayOf(port, identities.mount(await ours.issue('gateway')).tls))).toBe(503);
  });
});
