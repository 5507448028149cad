import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { closeEvents, connectEvents } from './connection.ts';

const greeting = { server_id: 'plain', version: '2.10.0', proto: 1, headers: true, jetstream: true, max_payload: 1_048_576 };

afterEach(closeEvents);

test('with tls:// nothing is sent to a NATS server without TLS, at any attempt', async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (bytes) => received.push(String(bytes))).on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify(greeting)}\r\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await connectEvents(`tls://user:secret@127.0.0.1:${port}`, 'test');
  for (let attempt = 0; attempt < 3; attempt++) {
    const [socket] = (await once(server, 'connection')) as [Socket];
    await once(socket, 'close');
  }
  expect(received).toEqual([]);
  server.close();
});
