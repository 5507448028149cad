import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import { listening } from '../testing/listening.ts';
import { HttpProxy } from './http-proxy.ts';

const limits = { connectionsPerReplica: 8, maxPerNetwork: 8, maxWaitMs: 60_000, stallTimeoutMs: 60_000 };
const body = Buffer.from('{"jsonrpc":"2.0"}');
const proxies: HttpProxy[] = [];
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

/** A gateway that has read every request, in front of `upstreams`. */
async function forwardingTo(
  upstreams: readonly number[],
  { isRepeatable = false, onResponse = (_headers: IncomingHttpHeaders) => {} } = {},
) {
  const addresses = upstreams.map((port) => `127.0.0.1:${port}`).join(',');
  const proxy = new HttpProxy({ service: 'mcp', addresses, clientAddress: () => '203.0.113.7', limits });
  proxies.push(proxy);
  const forward: RequestListener = (incoming, response) => {
    incoming.resume();
    proxy.forward(incoming, response, { body, headers: { 'x-webkiln-principal': 'signed' }, isRepeatable, onResponse });
  };
  const port = await listening(forward);
  return async (headers: Record<string, string> = {}) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false }).end(body);
    return (await once(sent, 'response'))[0] as IncomingMessage;
  };
}

test('each part of a stream arrives when the service has written it', async () => {
  let stream: ServerResponse | undefined;
  const upstream = await listening((_request, response) => {
    stream = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n');
  });
  const response = await (await forwardingTo([upstream]))();
  // The service writes a part once the one before has arrived: a proxy that waits for the end hangs here.
  expect(String((await once(response, 'data'))[0])).toBe('data: 1\n\n');
  stream?.write('data: 2\n\n');
  expect(String((await once(response, 'data'))[0])).toBe('data: 2\n\n');
  stream?.end();
  await once(response.resume(), 'end');
});

test('the service gets the body and our headers, not those that a client sends in their place', async () => {
  const seen: unknown[] = [];
  const upstream = await listening(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    seen.push(text, incoming.headers['x-webkiln-principal'], incoming.headers['x-webkiln-other']);
    response.writeHead(200, { 'x-webkiln-outcome': '404 gone' }).end();
  });
  const outcomes: unknown[] = [];
  const send = await forwardingTo([upstream], { onResponse: (headers) => outcomes.push(headers['x-webkiln-outcome']) });
  const response = await send({ 'x-webkiln-principal': 'forged', 'x-webkiln-other': 'forged' });
  response.resume();
  expect(seen).toEqual([body.toString(), 'signed', undefined]);
  expect([outcomes, response.headers['x-webkiln-outcome']]).toEqual([['404 gone'], undefined]);
});

test.each([
  [true, [200, 200]],
  [false, [200, 503]],
])('a request that is repeatable: %s, answers %j over a live and a dead replica', async (isRepeatable, statuses) => {
  const dead = createServer().listen(0, '127.0.0.1');
  await once(dead, 'listening');
  const { port } = dead.address() as { port: number };
  await new Promise((resolve) => dead.close(resolve));
  const live = await listening((_request, response) => void response.end());
  const send = await forwardingTo([live, port], { isRepeatable });
  const answers = [await send(), await send()];
  for (const answer of answers) answer.resume();
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(statuses);
});
