import ipaddr from 'ipaddr.js';

/**
 * The network by which rate limits count an address: the IPv4 address itself, or an IPv6 address's /64 (RFC 5952),
 * which one subscriber has; "unknown" for other texts.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${new ipaddr.IPv6([...(parsed as ipaddr.IPv6).parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}
