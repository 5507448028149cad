import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * One address in front of several gateways. Each new connection goes to the next of them, with its client address, as
 * through a Kubernetes Service with `externalTrafficPolicy: Local`.
 */
export class Balancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #targets: readonly number[] = [];
  #next = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (client) => this.#join(client));
  }

  static async start(): Promise<Balancer> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    await once(server.listen(0), 'listening');
    return new Balancer(server);
  }

  originOf(host: string): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The settings by which sites and previews are visited through the balancer, too. */
  get siteOrigins() {
    return { SITES_ORIGIN: this.originOf('sites.localhost'), PREVIEW_ORIGIN: this.originOf('preview.localhost') };
  }

  /** `origins`: of the gateways. Until this is called, connections are closed. */
  spreadOver(origins: readonly string[]): void {
    this.#targets = origins.map((origin) => Number(new URL(origin).port));
  }

  #join(client: Socket): void {
    const port = this.#targets[this.#next++ % this.#targets.length];
    if (port === undefined) return void client.destroy();
    // The gateways see the address of the visitor.
    const localAddress = client.remoteAddress?.replace('::ffff:', '');
    const host = localAddress?.includes(':') ? '::1' : '127.0.0.1';
    const gateway = connect({ port, host, localAddress, allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [client, gateway],
      [gateway, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        if (!from.readableEnded) to.destroy();
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
