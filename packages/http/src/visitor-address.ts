import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { clientNetwork } from './client-network.ts';

/** Cached, because parsing an address costs more than a cache hit. */
const networks = new LRUCache<string, string>({ max: 10_000 });
const longestAddress = 64;

/** The network of a visitor, from the gateway's header, else from the socket. */
export function visitorAddress({ headers, socket }: IncomingMessage): string {
  const header = headers['x-webkiln-client-address'];
  const address = typeof header === 'string' ? header : (socket.remoteAddress ?? '');
  if (isIPv4(address)) return address;
  const known = networks.get(address);
  if (known !== undefined) return known;
  if (address.length > longestAddress) return clientNetwork(undefined);
  const network = address.endsWith('::/64') ? address : clientNetwork(address);
  networks.set(address, network);
  return network;
}
