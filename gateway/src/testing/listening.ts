import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers: Server[] = [];

/** Starts a server on the loopback interface; returns its port. Kept-alive connections outlive a slow test. */
export const listening = (handle: RequestListener): Promise<number> => portOf(createServer({ keepAliveTimeout: 600_000 }, handle));

/** Lets a server listen on the loopback interface; returns its port. */
export async function portOf(server: Server): Promise<number> {
  servers.push(server.listen(0));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export function closeServers(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}
