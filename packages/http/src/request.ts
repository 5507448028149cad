import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import proxyaddr from 'proxy-addr';

interface Target {
  /** Decoded. */
  readonly path: string;
  /** "?a=b" as received, or empty. */
  readonly query: string;
}

const hiddenSeparators = /%2f|%5c/i;
const dotSegments = /(?:^|\/)\.{1,2}(?:\/|$)/;

/**
 * Path and query of a request. Undefined for a path that no browser sends: malformed, or with dot segments or encoded
 * separators.
 */
export function requestTarget(url: string): Target | undefined {
  const end = url.indexOf('?');
  const raw = end === -1 ? url : url.slice(0, end);
  const path = raw.includes('%') ? decoded(raw) : raw;
  if (path === undefined || !path.startsWith('/') || path.includes('\\') || dotSegments.test(path) || /\p{Cc}/u.test(path))
    return undefined;
  return { path, query: end === -1 ? '' : url.slice(end) };
}

function decoded(path: string): string | undefined {
  if (hiddenSeparators.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined; // no UTF-8, overlong, or a lone surrogate
  }
}

/** Reads a request's body. Undefined as soon as it exceeds `maxBytes`. Rejects if the caller disconnects. */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (request.destroyed) return Promise.reject(new Error('the caller went away'));
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        request.removeAllListeners('data');
        resolve(undefined);
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the caller went away')));
  });
}

/** The network of a visitor, from the gateway's header, else from the socket. */
export function visitorAddress({ headers, socket }: IncomingMessage): string {
  const header = headers['x-webkiln-client-address'];
  const address = typeof header === 'string' ? header : (socket.remoteAddress ?? '');
  return address.length <= longestAddress && address.endsWith('::/64') ? address : clientNetwork(address);
}

/** Cached, because parsing an address costs more than a cache hit. */
const networks = new LRUCache<string, string>({ max: 10_000 });
const longestAddress = 64;
const loopback = '127.0.0.1';

/**
 * The network by which rate limits count an address: the IPv4 address itself, or an IPv6 address's /64 (RFC 5952),
 * which one subscriber has; 127.0.0.1 for this machine, "unknown" for other texts.
 */
export function clientNetwork(address: string | undefined): string {
  if (address === undefined || address.length > longestAddress) return 'unknown';
  if (isIPv4(address)) return address;
  const known = networks.get(address);
  if (known !== undefined) return known;
  const network = parsedNetwork(address);
  networks.set(address, network);
  return network;
}

function parsedNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  if (parsed.range() === 'loopback') return loopback;
  return `${new ipaddr.IPv6([...(parsed as ipaddr.IPv6).parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

/** The part of an address or client network that is stored: its IPv4 /24 or IPv6 /64. */
export function networkPrefixOf(address: string): string {
  if (!address.includes(':')) return address.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
  return address.endsWith('/64') ? address : clientNetwork(address);
}

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

/** A content encoding; empty for none. */
export type Encoding = '' | 'br' | 'gzip';

/** Smallest first, which decides between encodings of equal quality. */
const preferred = ['br', 'gzip', 'identity'];

/** Cached: browsers send few different headers, and parsing one costs more than the rest of a request. */
const chosen = new LRUCache<string, Encoding>({ max: 500 });
const rememberedLength = 100;

/** The encoding for this Accept-Encoding header (RFC 9110 §12.5.3); none if the header refuses all available ones. */
export function acceptedEncoding(header: string | undefined, available: readonly Encoding[]): Encoding {
  if (header === undefined || available.length === 0) return '';
  const key = `${available} ${header}`;
  const known = chosen.get(key);
  if (known !== undefined) return known;
  const [best] = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...available, 'identity'], { preferred });
  const encoding = best === 'br' || best === 'gzip' ? best : '';
  if (header.length <= rememberedLength) chosen.set(key, encoding);
  return encoding;
}

/** The best available language for this Accept-Language header (RFC 9110 §12.5.4); undefined if it names none. */
export function acceptedLanguage(header: string | undefined, available: readonly string[]): string | undefined {
  // `*` alone, which programs send, is no preference.
  if (header === undefined || !/[a-z]/i.test(header)) return undefined;
  return new Negotiator({ headers: { 'accept-language': header } }).languages(available)[0];
}

/** True if `If-None-Match` lists the entity tag (RFC 9110 §13.1.2: weak comparison). */
export function isKnown({ 'if-none-match': header }: IncomingHttpHeaders, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}
