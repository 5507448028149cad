import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { OutboundRules } from '../outbound-config.ts';

/** An HTTP server on 127.0.0.1 whose responses a test chooses; with a certificate it serves HTTPS. */
export class Receiver {
  readonly port: number;
  readonly #server: Server;
  #connections = 0;
  #requests = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', () => {
      this.#connections += 1;
    });
    server.on('request', () => {
      this.#requests += 1;
    });
  }

  static async start(answer: RequestListener, certificate?: { key: string; cert: string }): Promise<Receiver> {
    const server = certificate === undefined ? createServer(answer) : createTlsServer(certificate, answer);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Receiver(server);
  }

  get connections(): number {
    return this.#connections;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Rules that allow this receiver, with the test's overrides. */
  rules(more: Partial<OutboundRules> = {}): OutboundRules {
    return { ports: [this.port], allowHttp: true, allowedCidrs: ['127.0.0.1/32'], dnsServers: [], ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
