import { Outbound } from './outbound.ts';
import { Listener } from './testing/listener.ts';
import { postTo } from './testing/post-to.ts';
import { Receiver } from './testing/receiver.ts';

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
