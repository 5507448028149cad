import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

const pollIntervalMs = 5000;
const unreachablePollIntervalMs = 500;

/** Resolves "host:port[,host:port]" repeatedly: a name may have many replicas, which come and go. */
export class AddressResolver {
  readonly #hosts: readonly { readonly host: string; readonly port: string }[];
  readonly #onChange: (addresses: ReadonlySet<string>) => void;
  /** The last result per host, which stays valid while the name server fails. */
  readonly #resolved = new Map<string, readonly string[]>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(list: string, onChange: (addresses: ReadonlySet<string>) => void) {
    this.#hosts = list.split(',').map((address) => {
      const colon = address.lastIndexOf(':');
      return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: address.slice(colon + 1) };
    });
    this.#onChange = onChange;
  }

  start(): void {
    void this.#resolveAll();
  }

  /** Call when no address is reachable: it brings the next poll forward. */
  resolveSoon(): void {
    this.#schedule(unreachablePollIntervalMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #resolveAll(): Promise<void> {
    await Promise.all(this.#hosts.map(({ host }) => this.#resolve(host)));
    if (this.#isClosed) return;
    this.#schedule(pollIntervalMs);
    this.#onChange(
      new Set(
        this.#hosts.flatMap(({ host, port }) =>
          (this.#resolved.get(host) ?? []).map((ip) => (isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
      ),
    );
  }

  async #resolve(host: string): Promise<void> {
    if (isIP(host) !== 0) return void this.#resolved.set(host, [host]);
    try {
      this.#resolved.set(
        host,
        (await lookup(host, { all: true })).map(({ address }) => address),
      );
    } catch {}
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#hosts.every(({ host }) => isIP(host) !== 0)) return;
    this.#timer = setTimeout(() => void this.#resolveAll(), delayMs).unref();
  }
}
