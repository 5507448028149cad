import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
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
 * Returns a function that finds the IP address of a request's client; undefined for a socket that is closed.
 * X-Forwarded-For counts only as far as `trustedProxies` (addresses or CIDRs) wrote it.
 */
export function clientIp(trustedProxies: readonly string[]): (request: IncomingMessage) => string | undefined {
  const trust = proxyaddr.compile([...trustedProxies]);
  return (request) => (trustedProxies.length === 0 ? request.socket.remoteAddress : proxyaddr(request, trust));
}

/** Returns a function that names a request's client by its network, as `clientNetwork` does. */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const ipOf = clientIp(trustedProxies);
  return (request) => clientNetwork(ipOf(request));
}

/** Returns a function that tells whether an IP address is in one of the networks (addresses or CIDRs). */
export function isInNetworks(networks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const entry of networks) {
    const [address = '', prefix] = entry.split('/');
    const isIPv6 = isIP(address) === 6;
    list.addSubnet(address, Number(prefix ?? (isIPv6 ? 128 : 32)), isIPv6 ? 'ipv6' : 'ipv4');
  }
  // An IPv4 address that is mapped into IPv6 counts as the IPv4 address.
  return (ip) => isIP(ip) !== 0 && list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
}
