// npm install standardwebhooks; WEBHOOK_SECRET=whsec_… PORT=3000 node verify.mts
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

interface WebkilnEvent {
  id: string;
  type: string;
  timestamp: string;
  org_id: string;
  data: Record<string, unknown>;
}

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');
/** In production, use a unique key in your database, written together with what the event changes there. */
const handled = new Set<string>();

const server = createServer(async (request, response) => {
  // The exact text that was signed: parsed and printed again it would be another.
  const body = await text(request);
  let event: WebkilnEvent;
  try {
    event = webhook.verify(body, request.headers as Record<string, string>) as WebkilnEvent;
  } catch {
    response.writeHead(400).end('This is not from Webkiln, or it is older than five minutes.');
    return;
  }
  if (!handled.has(event.id)) {
    handled.add(event.id);
    console.log('handled', event.type, event.id);
  }
  response.writeHead(204).end();
});

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`listening on ${(server.address() as AddressInfo).port}`);
});
