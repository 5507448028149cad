import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

const lookAgainMs = 5000;
const hurryMs = 500;

/** Follows the addresses behind "host:port[,host:port]": one name may stand for many replicas, which come and go. */
export class Addresses {
  readonly #hosts: readonly { readonly host: string; readonly port: string }[];
  readonly #changed: (addresses: ReadonlySet<string>) => void;
  readonly #known = new Map<string, readonly string[]>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(list: string, changed: (addresses: ReadonlySet<string>) => void) {
    this.#hosts = list.split(',').map((address) => {
      const colon = address.lastIndexOf(':');
      return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: address.slice(colon + 1) };
    });
    this.#changed = changed;
    void this.#look();
  }

  /** None of the known ones is usable: looks again soon. */
  hurry(): void {
    this.#lookIn(hurryMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    await Promise.all(this.#hosts.map(({ host }) => this.#lookUp(host)));
    if (this.#closed) return;
    this.#lookIn(lookAgainMs);
    this.#changed(
      new Set(
        this.#hosts.flatMap(({ host, port }) =>
          (this.#known.get(host) ?? []).map((ip) => (isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
      ),
    );
  }

  /** When the name server does not answer, what it said last still holds. */
  async #lookUp(host: string): Promise<void> {
    if (isIP(host) !== 0) return void this.#known.set(host, [host]);
    try {
      this.#known.set(
        host,
        (await lookup(host, { all: true })).map(({ address }) => address),
      );
    } catch {}
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#closed && this.#hosts.some(({ host }) => isIP(host) === 0)) this.#timer = setTimeout(() => void this.#look(), ms).unref();
  }
}
