import { once } from 'node:events';
import { connect } from 'node:net';
import { forbiddenUrls, forbiddenZone, Listener, NameServer, publicAddress } from '@webkiln/outbound/testing';

/** What surrounds a platform whose webhooks are turned against its own network: a name server of the attacker's, and somebody to reach. */
export class HostileNetwork implements AsyncDisposable {
  /** URLs that must not be reached; all lead to the listener, or to nobody. */
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

  /** The rules are the usual ones; but the listener's port is open, so that nothing is refused for its port alone. */
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

  /** From now on the names are of public addresses, or of what is inside. */
  show(what: 'public' | 'inside'): void {
    const names = Object.keys(forbiddenZone).map((name) => [name, { A: [publicAddress] }]);
    this.#names.zone = what === 'inside' ? forbiddenZone : Object.fromEntries(names);
  }

  /** Whether the listener can be reached, and counts who does. */
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
