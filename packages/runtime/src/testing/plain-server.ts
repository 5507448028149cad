import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server without TLS that keeps what it receives, as somebody on the network would. */
export class PlainServer implements AsyncDisposable {
  readonly port: number;
  /** What arrived, byte by byte as a character. */
  received = '';
  readonly #close: () => void;

  private constructor(port: number, close: () => void) {
    this.port = port;
    this.#close = close;
  }

  /** `greeting` is sent to each client. */
  static async start(greeting = ''): Promise<PlainServer> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('data', (bytes) => plain.#receive(bytes));
      if (greeting !== '') socket.write(greeting);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const plain: PlainServer = new PlainServer((server.address() as AddressInfo).port, () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return plain;
  }

  #receive(bytes: Buffer): void {
    this.received += bytes.toString('latin1');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
  }
}

/** The record type of a TLS handshake (RFC 8446 §5.1), which every TLS connection begins with. */
export const tlsHandshake = '\u0016';
