import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Agency } from '../../../harness/agency.ts';
import { Subscriber } from './subscriber.ts';

/** A webhook whose deliveries are verified with the secret that was shown once. */
export async function verifiedWebhook(ours: Agency) {
  let subscriber: Subscriber | undefined;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    response.writeHead(subscriber?.receive(request.headers, body) === undefined ? 400 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  subscriber = await Subscriber.register(ours, `http://127.0.0.1:${port}/hook`, ['client.created']);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { subscriber, close };
}
