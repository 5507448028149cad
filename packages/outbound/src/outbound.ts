import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { AddressGuard, guardedConnect, NameUnresolved, OutboundRefusal, type Resolve, resolver } from './addresses/guarded-connect.ts';
import { Attempt, failureReason, type OutboundAnswer } from './attempt.ts';
import { Download, type DownloadAnswer } from './download.ts';
import { OriginPools } from './origin-pools.ts';
import type { OutboundRules } from './outbound-config.ts';

const knownTargets = 4_096;

/** One POST. Headers are sent as given; Host and Content-Length are added. */
export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** The limit for everything: resolving, connecting, sending and the response. */
  readonly timeoutMs: number;
}

type Sent = Pick<Dispatcher.DispatchOptions, 'method' | 'headers' | 'body'>;
type Handler = Dispatcher.DispatchHandler & { fail(reason: string): void };

/** One GET of a small document. */
interface DownloadRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** The only way to call an address that a customer named: public internet only, except as the rules allow. */
export class Outbound {
  readonly #rules: OutboundRules;
  readonly #guard: AddressGuard;
  readonly #resolve: Resolve;
  readonly #pools: OriginPools;
  readonly #targets = new LRUCache<string, Target>({ max: knownTargets });
  #inFlight = 0;
  #idle: PromiseWithResolvers<void> | undefined;

  /** Throws if a CIDR or a name server in the rules is malformed. */
  constructor(rules: OutboundRules) {
    this.#rules = rules;
    this.#guard = new AddressGuard(rules.allowedCidrs);
    this.#resolve = resolver(rules.dnsServers);
    this.#pools = new OriginPools(guardedConnect(this.#guard, this.#resolve));
  }

  /**
   * Throws `OutboundRefusal` if the URL may not be called. A name that does not resolve passes if it can become public:
   * each send checks its addresses.
   */
  async assertAllowed(url: string): Promise<void> {
    const { host } = targetOf(url, this.#rules);
    try {
      this.#guard.assertAll(host, await this.#resolve(host));
    } catch (error) {
      if (!(error instanceof NameUnresolved)) throw error;
      if (privateName.test(host)) throw new OutboundRefusal(`${host} is a name of private networks.`);
    }
  }

  /** Sends one POST and follows no redirect. Never rejects. */
  post({ url, headers, body, timeoutMs }: OutboundRequest): Promise<OutboundAnswer> {
    return this.#send(url, { method: 'POST', headers, body }, (settle) => new Attempt(timeoutMs, settle));
  }

  /** Gets a whole response of at most `maxBytes` and follows no redirect. Never rejects. */
  get({ url, headers, timeoutMs, maxBytes }: DownloadRequest): Promise<DownloadAnswer> {
    return this.#send(url, { method: 'GET', headers }, (settle) => new Download({ timeoutMs, maxBytes }, settle));
  }

  /**
   * Refuses new requests, waits for those in flight (at most `timeoutMs`, if given), then closes all connections; the
   * remaining requests fail.
   */
  async close(timeoutMs?: number): Promise<void> {
    this.#idle ??= Promise.withResolvers();
    if (this.#inFlight === 0) this.#idle.resolve();
    const timer = timeoutMs === undefined ? undefined : setTimeout(this.#idle.resolve, timeoutMs);
    await this.#idle.promise;
    clearTimeout(timer);
    await this.#pools.destroy();
  }

  #send<Answer>(url: string, sent: Sent, handlerFor: (settle: (answer: Answer) => void) => Handler): Promise<Answer> {
    return new Promise((resolve) => {
      this.#inFlight += 1;
      const handler = handlerFor((answer) => {
        resolve(answer);
        this.#inFlight -= 1;
        if (this.#inFlight === 0) this.#idle?.resolve();
      });
      if (this.#idle !== undefined) handler.fail('The sender is shutting down.');
      else this.#dispatch(url, sent, handler);
    });
  }

  #dispatch(url: string, sent: Sent, handler: Handler): void {
    try {
      const { origin, path } = this.#targetOf(url);
      this.#pools.of(origin).dispatch({ ...sent, path }, handler);
    } catch (error) {
      handler.fail(failureReason(error as Error));
    }
  }

  #targetOf(url: string): Target {
    const known = this.#targets.get(url);
    if (known !== undefined) return known;
    const target = targetOf(url, this.#rules);
    this.#targets.set(url, target);
    return target;
  }
}

const maxUrlLength = 2_048;
/** Names of no public server: of one label, or below those for private use (RFC 6761, RFC 6762, RFC 8375, ICANN). */
const privateName = /^[^.]+$|(?:^|\.)(?:internal|local|localhost|localdomain|home\.arpa|home|lan|corp|intranet|private)$/;

/** A parsed URL that satisfies the rules. */
interface Target {
  readonly origin: string;
  /** A name, or a canonical address without brackets. */
  readonly host: string;
  readonly path: string;
}

/**
 * Parses a URL by the WHATWG standard, which maps every spelling of an address to one. Throws `OutboundRefusal` if it
 * breaks the rules on schemes, ports, user-info or length.
 */
function targetOf(text: string, { ports, allowHttp }: OutboundRules): Target {
  if (text.length > maxUrlLength) throw new OutboundRefusal('The address is longer than 2,048 characters.');
  const url = URL.parse(text);
  if (url === null) throw new OutboundRefusal('The address must be a URL such as https://example.com/hooks.');
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) {
    throw new OutboundRefusal('The address must begin with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefusal('The address must not contain a user name or a password.');
  }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (!ports.includes(port)) throw new OutboundRefusal(`Port ${port} is not allowed.`);
  // The dot of the root is no part of a certificate's name, nor of a name that is compared.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (url.hostname.split('.').includes('')) throw new OutboundRefusal('The address has an empty part in its host name.');
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  return { origin: url.origin, host: isIPv6(bare) ? bare : url.hostname, path: url.pathname + url.search };
}
