import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { clientNetwork } from './client-network.ts';

/** Reading an address costs more than finding it here. */
const networks = new LRUCache<string, string>({ max: 10_000 });
const longestAddress = 64;

/** The network that a visitor's request comes from, as the gateway has named it, or whoever else stands before us; else the caller's own. */
export function visitorAddress({ headers, socket }: IncomingMessage): string {
  const told = headers['x-webkiln-client-address'];
  const address = typeof told === 'string' ? told : (socket.remoteAddress ?? '');
  if (isIPv4(address)) return address;
  const known = networks.get(address);
  if (known !== undefined) return known;
  if (address.length > longestAddress) return clientNetwork(undefined);
  const network = address.endsWith('::/64') ? address : clientNetwork(address);
  networks.set(address, network);
  return network;
}
