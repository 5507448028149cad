import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onceGone } from './once-gone.ts';

/** A request that a server has in hand, and the caller's end of it. */
async function inHand() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  return { caller, response, [Symbol.dispose]: () => void server.close() };
}

test('a caller who goes away is told of', async () => {
  using request = await inHand();
  const { promise: told, resolve } = Promise.withResolvers<void>();
  onceGone(request.response, resolve);
  request.caller.destroy();
  await told;
});

test('a caller who had gone before anybody asked is told of at once', async () => {
  using request = await inHand();
  request.caller.destroy();
  await once(request.response, 'close');
  let gone = false;
  onceGone(request.response, () => {
    gone = true;
  });
  expect(gone).toBe(true);
});
