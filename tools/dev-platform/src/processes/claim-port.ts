import { once } from 'node:events';
import { createServer } from 'node:net';

/** Nobody else who claims the port gets it until this is closed, or its process ends. */
export interface Claim {
  close(): void;
}

/**
 * Claims a port of this machine among those who do so, long before anybody listens on it, and while its listener is started again. Undefined
 * where another process has it. By a socket in Linux's abstract namespace, which belongs to a network as ports do and goes with its process;
 * elsewhere every claim is granted.
 */
export async function claimPort(port: number): Promise<Claim | undefined> {
  const server = createServer().unref();
  if (process.platform !== 'linux') return server;
  server.listen(`\0webkiln-port-${port}`);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
