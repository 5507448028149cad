import ipaddr from 'ipaddr.js';

/**
 * Whom an address counts as: an IPv4 address by itself, an IPv6 one as its /64 (written as RFC 5952 says), since a /64 is what one subscriber has;
 * "unknown" for what is neither.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${new ipaddr.IPv6([...(parsed as ipaddr.IPv6).parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}
