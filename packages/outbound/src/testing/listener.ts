import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Counts connections to every address of this machine, and closes them. */
export class Listener {
  readonly port: number;
  readonly #server: Server;
  #connections = 0;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
    server.on('connection', (socket: Socket) => {
      this.#connections += 1;
      socket.on('error', () => undefined).destroy();
    });
  }

  static async start(): Promise<Listener> {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const address = server.address();
    return new Listener(server, typeof address === 'object' && address !== null ? address.port : 0);
  }

  get connections(): number {
    return this.#connections;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}
