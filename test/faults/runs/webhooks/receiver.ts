import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WebhookEvent } from '@webkiln/contract';
import type { Agency } from '../../../harness/agency.ts';
import { type ReceivedEvent, Subscriber } from './subscriber.ts';

/** Answers a delivery now, later or never. */
export type Responder = (response: ServerResponse, received: ReceivedEvent) => void;

/** Accepts every delivery at once. */
export const acceptAll: Responder = (response) => void response.writeHead(204).end();

/** Longer than the sender keeps an idle connection, so that no request is lost to a close by this side. */
const keepAliveMs = 600_000;

/** Webhook receivers of agencies on one port, each under its own path. */
export class ReceiverServer implements AsyncDisposable {
  respond: Responder;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #server: Server;

  private constructor(respond: Responder) {
    this.respond = respond;
    this.#server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
      // A killed sender breaks off in the middle of a request.
      void this.#receive(request, response).catch(() => response.destroy());
    });
  }

  static async start(respond: Responder): Promise<ReceiverServer> {
    const receivers = new ReceiverServer(respond);
    await once(receivers.#server.listen(0, '127.0.0.1'), 'listening');
    return receivers;
  }

  /** Registers another webhook of an agency. */
  async subscribe(agency: Agency, types: readonly WebhookEvent[]): Promise<Subscriber> {
    const path = `/${this.#subscribers.size + 1}`;
    const { port } = this.#server.address() as AddressInfo;
    const subscriber = await Subscriber.register(agency, `http://127.0.0.1:${port}${path}`, types);
    this.#subscribers.set(path, subscriber);
    return subscriber;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = this.#subscribers.get(request.url ?? '')?.receive(request.headers, await text(request));
    if (received === undefined) return void response.writeHead(400).end();
    response.once('finish', () => {
      if (response.statusCode < 300) received.accepted = true;
    });
    this.respond(response, received);
  }
}
