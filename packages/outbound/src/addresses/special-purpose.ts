import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** IANA IPv4 Special-Purpose Address Registry, multicast, and cloud-internal addresses. */
const specialIPv4 = [
  '0.0.0.0/8', // this network, RFC 791
  '10.0.0.0/8', // private, RFC 1918
  '100.64.0.0/10', // shared by carriers, RFC 6598
  '127.0.0.0/8', // loopback, RFC 1122
  '168.63.129.16/32', // Azure's platform address
  '169.254.0.0/16', // link-local and cloud metadata, RFC 3927
  '172.16.0.0/12', // private, RFC 1918
  '192.0.0.0/24', // IETF protocols, RFC 6890
  '192.0.2.0/24', // documentation, RFC 5737
  '192.31.196.0/24', // AS112, RFC 7535
  '192.52.193.0/24', // AMT, RFC 7450
  '192.88.99.0/24', // 6to4 relays, RFC 7526
  '192.168.0.0/16', // private, RFC 1918
  '192.175.48.0/24', // AS112, RFC 7534
  '198.18.0.0/15', // benchmarks, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/4', // multicast, RFC 5771
  '240.0.0.0/4', // reserved and broadcast, RFC 1112, RFC 919
];

/**
 * The only unicast addresses that IANA has allocated: mapped, compatible, NAT64, ULA, link-local and multicast are
 * outside.
 */
const globalIPv6 = ['2000::/3'];

/** IANA IPv6 Special-Purpose Address Registry, the part in 2000::/3. */
const specialIPv6 = [
  '2001::/23', // IETF protocols: Teredo, benchmarks, AMT, AS112, ORCHID, drone identifiers; RFC 2928
  '2001:db8::/32', // documentation, RFC 3849
  '2002::/16', // 6to4, RFC 3056
  '2620:4f:8000::/48', // AS112, RFC 7534
  '3ffe::/16', // 6bone, given back, RFC 3701
  '3fff::/20', // documentation, RFC 9637
];

const special4 = subnets(specialIPv4);
const global6 = subnets(globalIPv6);
const special6 = subnets(specialIPv6);

/** True if a literal address is globally routable unicast; false for text that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, 'ipv4');
  return isIPv6(address) && global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
}

/** Parses CIDRs or single addresses to a list for look-ups. Throws if one is malformed. */
export function subnets(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(cidr) ?? [];
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (length === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(length), family);
  }
  return list;
}
