import { promises as dns } from 'node:dns';
import { type BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress, subnets } from './special-purpose.ts';

const connectTimeoutMs = 10_000;

/**
 * Opens connections to checked addresses only. It resolves a name, checks all addresses and dials those, so that no
 * second DNS response can intervene. SNI and Host keep the name.
 */
export function guardedConnect(guard: AddressGuard, resolve: Resolve): buildConnector.connector {
  const checkedLookup: LookupFunction = (host, { all }, callback) => {
    resolve(host)
      .then((addresses) => {
        guard.assertAll(host, addresses);
        const checked = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) callback(null, checked);
        else callback(null, checked[0]?.address ?? '', checked[0]?.family);
      })
      .catch((error: Error) => callback(error, ''));
  };
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, autoSelectFamily: true, lookup: checkedLookup });
  return (options, callback) => {
    // A literal address is dialled without a look-up.
    if (isIP(options.hostname) !== 0 && !guard.allows(options.hostname)) {
      process.nextTick(callback, new OutboundRefusal(`${options.hostname} is not a public address.`), null);
      return;
    }
    connect(options, (...outcome) => {
      const [, socket] = outcome;
      if (socket === null || socket === undefined || guard.allows(socket.remoteAddress ?? '')) return callback(...outcome);
      socket.destroy();
      callback(new OutboundRefusal(`${options.hostname} was reached at an address that is not public.`), null);
    });
  };
}

/** Allows connections to public addresses and to the platform's exceptions. */
export class AddressGuard {
  readonly #exceptions: BlockList;

  constructor(allowedCidrs: readonly string[]) {
    this.#exceptions = subnets(allowedCidrs);
  }

  allows(address: string): boolean {
    return isPublicAddress(address) || this.#exceptions.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }

  /** Throws `OutboundRefusal` unless all addresses of a host are allowed. */
  assertAll(host: string, addresses: readonly string[]): void {
    if (addresses.every((address) => this.allows(address))) return;
    // The message omits the address, which may be known only inside our network.
    const fault = addresses.includes(host) ? 'is not a public address' : 'resolves to an address that is not public';
    throw new OutboundRefusal(`${host} ${fault}.`);
  }
}

/** Finds all addresses of a host. Rejects with `NameUnresolved`. */
export type Resolve = (host: string) => Promise<readonly string[]>;

const timeoutMs = 5_000;
const tries = 2;

/** Queries the given name servers, or the system if there are none. A literal address resolves to itself. */
export function resolver(dnsServers: readonly string[]): Resolve {
  const ask = dnsServers.length === 0 ? askSystem : askServers(dnsServers);
  return async (host) => {
    if (isIP(host) !== 0) return [host];
    // RFC 6761: these names are the loopback, whatever a server says.
    if (/(^|\.)localhost\.?$/.test(host)) return ['127.0.0.1'];
    const addresses = await within(ask(host));
    if (addresses.length === 0) throw new NameUnresolved(`The name ${host} does not resolve.`);
    return addresses;
  };
}

function askServers(dnsServers: readonly string[]): Resolve {
  const servers = new dns.Resolver({ timeout: timeoutMs / (2 * tries), tries });
  servers.setServers(dnsServers);
  return async (host) => {
    const answers = await Promise.allSettled([servers.resolve4(host), servers.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}

async function askSystem(host: string): Promise<readonly string[]> {
  const found = await dns.lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** The system's resolver has no timeout: without a response in time there is no address. */
async function within(answer: Promise<readonly string[]>): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(resolve, timeoutMs, []);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** An address that the rules forbid. The message is a sentence for the person who entered it. */
export class OutboundRefusal extends Error {
  override readonly name = 'OutboundRefusal';
}

/** A name without an address; it may get one later. */
export class NameUnresolved extends Error {
  override readonly name = 'NameUnresolved';
}
