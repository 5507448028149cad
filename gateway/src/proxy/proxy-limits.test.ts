import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { logger } from '@webkiln/runtime';
import { closeServers, listening } from '../testing/listening.ts';
import { HttpProxy } from './proxy.ts';

const proxies: HttpProxy[] = [];
beforeAll(() => {
  logger.level = 'silent';
});
afterEach(async () => {
  closeServers();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

const limits = { connectionsPerReplica: 4, maxPerNetwork: 2, maxWaitMs: 600_000, stallTimeoutMs: 600_000 };

/** A gateway before `upstream`; a request names its network in a header. */
async function gatewayTo(upstream: RequestListener, changed: Partial<typeof limits> = {}): Promise<number> {
  const clientAddress = ({ headers }: IncomingMessage) => String(headers['x-network']);
  const addresses = `127.0.0.1:${await listening(upstream)}`;
  const proxy = new HttpProxy({ service: 'sites', addresses, clientAddress, limits: { ...limits, ...changed } });
  proxies.push(proxy);
  return listening(proxy.handle);
}

function send(port: number, network: string, headers: Record<string, string> = {}, method = 'GET'): ClientRequest {
  const sent = request({ port, host: '127.0.0.1', path: '/', method, agent: false, headers: { 'x-network': network, ...headers } });
  return sent.on('error', () => undefined);
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; text: string }> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

const get = (port: number, network: string) => answerOf(send(port, network).end());

const echo: RequestListener = async (received, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of received) chunks.push(chunk);
  response.end(JSON.stringify({ length: Buffer.concat(chunks).length, sent: received.headers['content-length'] ?? 'chunked' }));
};

/** An upstream that answers nobody until `answerAll`; resolves `arrived(n)` with its nth request. */
function holdingUpstream() {
  const held: ServerResponse[] = [];
  const waiting = new Map<number, () => void>();
  const handle: RequestListener = (_request, response) => {
    held.push(response);
    waiting.get(held.length)?.();
  };
  const arrived = (count: number) =>
    held.length >= count ? Promise.resolve() : new Promise<void>((resolve) => waiting.set(count, resolve));
  return { handle, arrived, held, answerAll: () => held.splice(0).map((response) => response.end('late')) };
}

test('160 slow form posts of one network hold no upstream connection: that network and others are served', async () => {
  let posts = 0;
  const port = await gatewayTo((received, response) => {
    if (received.method === 'POST') posts++;
    response.end('page');
  });
  const slow = Array.from({ length: 160 }, () => send(port, 'attacker', { 'content-length': '1000' }, 'POST'));
  for (const post of slow) post.write('name=');
  expect(await get(port, 'visitor')).toMatchObject({ status: 200, text: 'page' });
  expect(await get(port, 'attacker')).toMatchObject({ status: 200, text: 'page' });
  expect(posts).toBe(0);
  for (const post of slow) post.destroy();
});

test.each([
  ['with its length', 10_000, { 'content-length': '10000' }, '10000'],
  ['chunked', 10_000, {}, '10000'],
  ['of more than 64 KB', 300_000, { 'content-length': '300000' }, '300000'],
  ['of more than 64 KB, chunked', 300_000, {}, 'chunked'],
  ['that is empty', 0, { 'transfer-encoding': 'chunked' }, '0'],
])('a body %s arrives whole', async (_what, length, headers, sentLength) => {
  const sent = send(await gatewayTo(echo), 'visitor', headers, 'POST');
  for (let at = 0; at < length; at += 10_000) sent.write(Buffer.alloc(10_000));
  const { text } = await answerOf(sent.end());
  expect(JSON.parse(text)).toEqual({ length, sent: sentLength });
});

test('a network with as many requests as it may have waits, then gets 429 with Retry-After; others are served meanwhile', async () => {
  const upstream = holdingUpstream();
  const port = await gatewayTo(upstream.handle, { maxWaitMs: 50 });
  const slow = [get(port, 'attacker'), get(port, 'attacker')];
  await upstream.arrived(2);
  const { status, headers } = await get(port, 'attacker');
  expect([status, headers['retry-after']]).toEqual([429, '1']);
  const visitor = get(port, 'visitor');
  await upstream.arrived(3);
  upstream.answerAll();
  expect((await Promise.all([...slow, visitor])).map((answer) => answer.status)).toEqual([200, 200, 200]);
});

test('while all connections are taken a request waits a bounded time, then gets 503 with Retry-After', async () => {
  const upstream = holdingUpstream();
  const port = await gatewayTo(upstream.handle, { connectionsPerReplica: 1, maxWaitMs: 50 });
  const slow = get(port, 'attacker');
  await upstream.arrived(1);
  const { status, headers } = await get(port, 'visitor');
  expect([status, headers['retry-after'], headers['cache-control']]).toEqual([503, '1', 'no-store']);
  upstream.answerAll();
  await slow;
});

test('a request that waits is forwarded as soon as a connection is free', async () => {
  const upstream = holdingUpstream();
  const port = await gatewayTo(upstream.handle, { connectionsPerReplica: 1 });
  const slow = get(port, 'first');
  await upstream.arrived(1);
  const visitor = get(port, 'visitor');
  upstream.answerAll();
  await slow;
  await upstream.arrived(1);
  upstream.answerAll();
  expect((await visitor).text).toBe('late');
});

test('a client that does not read its response is cut off, and its upstream connection serves the next', async () => {
  const whole = Buffer.alloc(64 * 1024 * 1024);
  const port = await gatewayTo((received, response) => void response.end(received.headers['x-network'] === 'visitor' ? 'page' : whole), {
    connectionsPerReplica: 1,
    stallTimeoutMs: 100,
  });
  const [unread] = (await once(send(port, 'attacker').end(), 'response')) as [IncomingMessage];
  expect((await get(port, 'visitor')).text).toBe('page');
  await expect(unread.resume().toArray()).rejects.toMatchObject({ code: 'ECONNRESET' });
});
