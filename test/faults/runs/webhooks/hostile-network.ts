import { once } from 'node:events';
import { connect } from 'node:net';
import { forbiddenUrls, forbiddenZone, Listener, NameServer, publicAddress } from '@webkiln/outbound/testing';

/**
 * The network of an attacker who aims webhooks at internal addresses: a hostile name server and an internal listener.
 */
export class HostileNetwork implements AsyncDisposable {
  /** URLs that must not be reached. Each leads to the listener or to no host. */
  readonly urls: readonly string[];
  readonly #listener: Listener;
  readonly #names: NameServer;

  private constructor(listener: Listener, names: NameServer) {
    this.#listener = listener;
    this.#names = names;
    this.urls = forbiddenUrls(listener.port).map(([url]) => url);
  }

  static async start(): Promise<HostileNetwork> {
    return new HostileNetwork(await Listener.start(), await NameServer.start(forbiddenZone));
  }

  /** The default rules plus the listener's port, so that no URL is refused for its port alone. */
  get env(): NodeJS.ProcessEnv {
    return {
      OUTBOUND_DNS_SERVERS: this.#names.address,
      OUTBOUND_PORTS: `443,8443,${this.#listener.port}`,
      OUTBOUND_ALLOW_HTTP: 'false',
      OUTBOUND_ALLOWED_CIDRS: '',
    };
  }

  get connections(): number {
    return this.#listener.connections;
  }

  /** Makes the names resolve to public or to internal addresses. */
  show(what: 'public' | 'inside'): void {
    const names = Object.keys(forbiddenZone).map((name) => [name, { A: [publicAddress] }]);
    this.#names.zone = what === 'inside' ? forbiddenZone : Object.fromEntries(names);
  }

  /** True if the listener accepts and counts connections; guards against a check that cannot fail. */
  async isWatched(): Promise<boolean> {
    const before = this.connections;
    const socket = connect(this.#listener.port, '127.0.0.1').resume();
    await once(socket, 'close');
    return this.connections === before + 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#names[Symbol.asyncDispose]();
    await this.#listener[Symbol.asyncDispose]();
  }
}
