// npm install @webkiln/sdk; WEBHOOK_SECRET=whsec_… PORT=3000 node verify.mts
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent } from '@webkiln/sdk';

const secret = process.env.WEBHOOK_SECRET ?? '';
/** In production, use a unique key in your database, written together with what the event changes there. */
const handled = new Set<string>();

function handle(event: WebhookEvent): void {
  console.log('handled', event.type, event.id);
  if (event.type === 'client.created') console.log('A new client:', event.data.client.name);
}

const server = createServer(async (request, response) => {
  // The exact text that was signed: parsed and printed again it would be another.
  const body = await text(request);
  try {
    const event = await verifyWebhook(body, request.headers, secret);
    if (!handled.has(event.id)) handle(event);
    handled.add(event.id);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end('This is not from Webkiln, or it is older than five minutes.');
  }
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
});
