import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork } from '@webkiln/http';
import { KeyedCount } from './keyed-count.ts';
import { countRefusal } from './metrics.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerNetwork: number;
  /** Such a connection carries many clients' requests. */
  readonly isTrustedProxy: (address: string) => boolean;
}

/** Bounds the server's open connections, in all and per client network; `refuse` answers and ends one too many. */
export function limitConnections(server: Server, limits: ConnectionLimits, refuse: (socket: Socket) => void): void {
  const { maxConnections, maxConnectionsPerNetwork, isTrustedProxy } = limits;
  const connections = new KeyedCount(maxConnectionsPerNetwork);
  server.maxConnections = maxConnections;
  server.on('drop', () => countRefusal('connections', 'overloaded'));
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrustedProxy(address)) return;
    const network = clientNetwork(address);
    if (connections.add(network, 1)) return void socket.once('close', () => connections.remove(network, 1));
    countRefusal('connections of a network', 'too_many_in_flight');
    refuse(socket);
  });
}
