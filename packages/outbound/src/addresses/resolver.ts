import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { NameUnresolved } from '../refusal.ts';

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
