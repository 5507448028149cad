import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { clientNetwork } from '@webkiln/http';
import proxyaddr from 'proxy-addr';

/** True if each is an IP address, a CIDR, or a name of `proxy-addr` such as "loopback". */
export function areNetworks(entries: readonly string[]): boolean {
  try {
    proxyaddr.compile([...entries]);
    return true;
  } catch {
    return false;
  }
}

const widestPrefix = { ipv4: 16, ipv6: 48 } as const;

/** The networks among `trustedProxies` that are wider than those of proxies usually are: /16, or /48 of IPv6. */
export const wideNetworks = (trustedProxies: readonly string[]): string[] =>
  trustedProxies.filter((entry) => {
    const [address = '', prefix] = entry.split('/');
    const version = isIP(address);
    return prefix !== undefined && version !== 0 && Number(prefix) < widestPrefix[version === 4 ? 'ipv4' : 'ipv6'];
  });

/** Returns a function that tells whether an address is one of `trustedProxies` (addresses or CIDRs). */
export function trustedProxy(trustedProxies: readonly string[]): (address: string) => boolean {
  const trust = proxyaddr.compile([...trustedProxies]);
  return (address) => isIP(address) !== 0 && trust(address, 0);
}

/**
 * Returns a function that names a request's client by its network, as `clientNetwork` does.
 * X-Forwarded-For counts only as far as `trustedProxies` (addresses or CIDRs) wrote it.
 */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trust = proxyaddr.compile([...trustedProxies]);
  return (request) => clientNetwork(trustedProxies.length === 0 ? request.socket.remoteAddress : proxyaddr(request, trust));
}
