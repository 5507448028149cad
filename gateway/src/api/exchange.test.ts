import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { newRequestId, onDisconnect } from './exchange.ts';

/** A request in flight, and its client's socket. */
async function requestInFlight() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { caller, response, [Symbol.dispose]: () => void server.close() };
}

test('a disconnect during a request calls back', async () => {
  using request = await requestInFlight();
  const { promise: notified, resolve } = Promise.withResolvers<void>();
  onDisconnect(request.response, resolve);
  request.caller.destroy();
  await notified;
});

test('a disconnect before the call calls back at once', async () => {
  using request = await requestInFlight();
  request.caller.destroy();
  await once(request.response, 'close');
  let gone = false;
  onDisconnect(request.response, () => {
    gone = true;
  });
  expect(gone).toBe(true);
});

test('the id of a request is a UUID that begins with its time', () => {
  const before = Date.now();
  const id = newRequestId();
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  const time = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  expect(time).toBeGreaterThanOrEqual(before);
  expect(time).toBeLessThanOrEqual(Date.now());
});
