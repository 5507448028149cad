import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './api.ts';
import { receiverHost } from './shared-platform.ts';

/** One received delivery. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  /** The exact text that was signed. */
  readonly body: string;
  readonly event: Json;
}

/** A webhook receiver of an agency: records every delivery and responds with `status`. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  status = 200;
  /** What else it responds with. */
  answer: { readonly headers?: Readonly<Record<string, string>>; readonly body?: Uint8Array } = {};
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      this.received.push({ headers: request.headers as Record<string, string>, body, event: JSON.parse(body) });
      response.writeHead(this.status, this.answer.headers).end(this.answer.body);
    });
  }

  /** Listens where the platform reaches it, by default on a random port. */
  static async start(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await once(receiver.#server.listen(port, receiverHost()), 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://${receiverHost()}:${this.port}/hook`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
