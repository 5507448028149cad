import { forbiddenZone, publicAddress } from './forbidden-zone.ts';

/** A host that must never be reached, with the reason. */
type Reasoned = readonly [form: string, why: string];

/** Ways to write an address. */
const spellings: readonly Reasoned[] = [
  ['127.0.0.1', 'loopback'],
  ['127.1', 'loopback, two parts'],
  ['127.0.1', 'loopback, three parts'],
  ['127.255.255.254', 'loopback, its far end'],
  ['2130706433', 'loopback, one decimal number'],
  ['0x7f000001', 'loopback, one hexadecimal number'],
  ['0x7F.0x0.0x0.0x1', 'loopback, hexadecimal parts'],
  ['0x7f.1', 'loopback, hexadecimal and short'],
  ['0177.0.0.1', 'loopback, octal part'],
  ['017700000001', 'loopback, one octal number'],
  ['127.0.0.1.', 'loopback, dot at the end'],
  ['%31%32%37.0.0.1', 'loopback, percent-encoded'],
  ['１２７.０.０.１', 'loopback, full-width digits'],
  ['①②⑦.⓪.⓪.①', 'loopback, circled digits'],
  ['127。0。0。1', 'loopback, ideographic dots'],
  ['127.0.0.1%00.example.com', 'NUL in the host'],
  ['0.0.0.0', 'this network'],
  ['0', 'this network, one number'],
  ['2852039166', 'cloud metadata, one decimal number'],
  ['0xA9FEA9FE', 'cloud metadata, one hexadecimal number'],
  ['[::1]', 'IPv6 loopback'],
  ['[0:0:0:0:0:0:0:1]', 'IPv6 loopback, written out'],
  ['[::]', 'IPv6 unspecified'],
  ['[::ffff:127.0.0.1]', 'IPv4-mapped'],
  ['[::ffff:7f00:1]', 'IPv4-mapped, hexadecimal'],
  ['[::ffff:93.184.216.34]', 'IPv4-mapped, although public'],
  ['[::127.0.0.1]', 'IPv4-compatible'],
  ['[::ffff:0:127.0.0.1]', 'IPv4-translated'],
  ['[64:ff9b::127.0.0.1]', 'NAT64'],
  ['[64:ff9b::a9fe:a9fe]', 'NAT64 of cloud metadata'],
  ['[64:ff9b:1::7f00:1]', 'local NAT64'],
  ['[2002:7f00:1::1]', '6to4'],
  ['[2001:0:7f00:1::1]', 'Teredo'],
  ['[fe80::1%25lo]', 'zone id'],
];

/** An address of every special-purpose range. */
const specialPurpose: readonly Reasoned[] = [
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['100.64.0.1', 'shared by carriers'],
  ['100.100.100.200', 'metadata of a cloud'],
  ['168.63.129.16', 'platform of a cloud'],
  ['169.254.169.254', 'metadata of most clouds'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private, its far end'],
  ['192.0.0.192', 'metadata of a cloud'],
  ['192.0.2.1', 'documentation'],
  ['192.31.196.1', 'AS112'],
  ['192.52.193.1', 'AMT'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.0.1', 'private'],
  ['192.175.48.1', 'AS112'],
  ['198.18.0.1', 'benchmarks'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.250', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['[100::1]', 'discard only'],
  ['[2001:2::1]', 'benchmarks'],
  ['[2001:3::1]', 'AMT'],
  ['[2001:4:112::1]', 'AS112'],
  ['[2001:10::1]', 'ORCHID'],
  ['[2001:20::1]', 'ORCHIDv2'],
  ['[2001:db8::1]', 'documentation'],
  ['[2620:4f:8000::1]', 'AS112'],
  ['[3ffe::1]', '6bone'],
  ['[3fff::1]', 'documentation'],
  ['[4000::1]', 'not given out'],
  ['[5f00::1]', 'segment routing'],
  ['[fc00::1]', 'unique local'],
  ['[fd00:ec2::254]', 'metadata of a cloud'],
  ['[fe80::1]', 'link-local'],
  ['[febf::1]', 'link-local, its far end'],
  ['[fec0::1]', 'site-local'],
  ['[ff02::1]', 'multicast'],
  ['[ff0e::1]', 'global multicast'],
];

/** Ways to write a name. */
const names: readonly Reasoned[] = [
  ['localhost', 'loopback by name'],
  ['LOCALHOST', 'loopback by name, upper case'],
  ['localhost.', 'loopback by name, dot at the end'],
  ['ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'loopback by name, circled letters'],
  ['hooks.localhost', 'below localhost'],
  ['%6coopback.example', 'a name, percent-encoded'],
  ['loopback.example.', 'a name, dot at the end'],
  ...Object.keys(forbiddenZone).map((name): Reasoned => [name, 'a name of something that is not public']),
];

/** Hosts that are not public, in every known spelling. */
const forbiddenHosts = [...spellings, ...specialPurpose, ...names];

/**
 * URLs that must never be reached, each with the reason, at a port where a test listens; their names are those of
 * `forbiddenZone`.
 */
export const forbiddenUrls = (port: number): readonly Reasoned[] => [
  ...forbiddenHosts.map(([host, why]): Reasoned => [`https://${host}:${port}/hook`, why]),
  ...otherUrls(port),
];

const otherUrls = (port: number): readonly Reasoned[] => [
  [`http://127.0.0.1:${port}/`, 'plain http'],
  [`http://${publicAddress}/`, 'plain http, although public'],
  [`http://${publicAddress}:8443/`, 'plain http, although public and at a port of https'],
  [`ftp://127.0.0.1:${port}/`, 'another scheme'],
  [`ws://127.0.0.1:${port}/`, 'another scheme'],
  [`wss://127.0.0.1:${port}/`, 'another scheme'],
  [`gopher://127.0.0.1:${port}/_POST`, 'another scheme'],
  [`blob:https://127.0.0.1:${port}/x`, 'another scheme'],
  ['file:///etc/passwd', 'another scheme'],
  ['data:text/plain,hello', 'another scheme'],
  ['javascript:alert(1)', 'another scheme'],
  [`//127.0.0.1:${port}/`, 'no scheme'],
  [`127.0.0.1:${port}/`, 'no scheme'],
  [`https:127.0.0.1:${port}/`, 'no slashes'],
  [`https:\\\\127.0.0.1:${port}\\`, 'backslashes'],
  [`https://127.0.0.1:${port}\\@${publicAddress}/`, 'a public address behind a backslash'],
  [`https://127.0.0.1:${port}#@${publicAddress}/`, 'a public address behind a fragment'],
  [`https://127.0.0.1:${port}?@${publicAddress}/`, 'a public address behind a query'],
  [`https://127.0\n.0.1:${port}/`, 'a line break in the host'],
  [`https://127.\t0.0.1:${port}/`, 'a tab in the host'],
  [`https://${publicAddress}@127.0.0.1:${port}/`, 'a public address as user-info'],
  [`https://user@${publicAddress}/`, 'user-info, although public'],
  [`https://user:secret@${publicAddress}/`, 'user-info, although public'],
  [`https://:secret@${publicAddress}/`, 'a password alone'],
  [`https://${publicAddress}:22/`, 'a port of another protocol'],
  [`https://${publicAddress}:80/`, 'a port of another protocol'],
  [`https://${publicAddress}:0/`, 'port 0'],
  [`https://${publicAddress}:65536/`, 'no port'],
  ['https://256.256.256.256/', 'no address'],
  ['https://[::1/', 'no address'],
  ['https://', 'no host'],
  ['', 'nothing'],
  [`https://${publicAddress}/${'x'.repeat(2_048)}`, 'too long'],
];
