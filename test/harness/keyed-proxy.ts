import { once } from 'node:events';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Puts an API key in front of an MCP server, for programs that cannot send one. */
export class KeyedProxy implements AsyncDisposable {
  /** The address of the MCP server through the proxy. */
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}${path}`;
  }

  /** `url` is the address of the MCP server. */
  static async start(url: string, key: string): Promise<KeyedProxy> {
    const target = new URL(url);
    const server = createServer((request, response) => {
      // Foreign names go through; its own are the server's.
      const named = (value = '') => value.replace(`localhost:${request.socket.localPort}`, target.host);
      const { host, origin } = request.headers;
      const headers = { ...request.headers, host: named(host), ...(origin !== undefined && { origin: named(origin) }) };
      const { hostname, port } = target;
      const sent = send({
        hostname,
        port,
        path: request.url,
        method: request.method,
        headers: { ...headers, authorization: `Bearer ${key}` },
      });
      sent.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers)));
      sent.on('error', () => response.destroy());
      request.pipe(sent);
    });
    await once(server.listen(0, 'localhost'), 'listening');
    return new KeyedProxy(server, target.pathname);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
