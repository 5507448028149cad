import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WebhookEvent } from '@webkiln/contract';
import type { Agency } from '../../harness/agency.ts';
import { type Heard, Subscriber } from './subscriber.ts';

/** How a delivery is answered: now, later, or never. */
export type Conduct = (response: ServerResponse, heard: Heard) => void;

/** Every delivery is taken at once. */
export const taking: Conduct = (response) => void response.writeHead(204).end();

/** Longer than a connection waits for another request on the other side: no request is lost because this side hangs up first. */
const keepAliveMs = 600_000;

/** Agencies' programs that take webhooks, each under a path of its own, behind one port. */
export class Audience implements AsyncDisposable {
  conduct: Conduct;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #server: Server;

  private constructor(conduct: Conduct) {
    this.conduct = conduct;
    this.#server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
      // Who is killed breaks off in the middle.
      void this.#receive(request, response).catch(() => response.destroy());
    });
  }

  static async start(conduct: Conduct): Promise<Audience> {
    const audience = new Audience(conduct);
    await once(audience.#server.listen(0, '127.0.0.1'), 'listening');
    return audience;
  }

  /** Registers one more webhook of an agency. */
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
    const heard = this.#subscribers.get(request.url ?? '')?.hear(request.headers, await text(request));
    if (heard === undefined) return void response.writeHead(400).end();
    response.once('finish', () => {
      if (response.statusCode < 300) heard.taken = true;
    });
    this.conduct(response, heard);
  }
}
