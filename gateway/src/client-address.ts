import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/**
 * Names the network client of a request: an IPv4 address, or the /64 of an IPv6 one, since a /64 is what one subscriber has.
 * X-Forwarded-For counts only as far as `trustedProxies` (addresses or CIDRs) wrote it.
 */
export function clientAddress(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trust = proxyaddr.compile([...trustedProxies]);
  return (request) => network(trustedProxies.length === 0 ? request.socket.remoteAddress : proxyaddr(request, trust));
}

function network(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
