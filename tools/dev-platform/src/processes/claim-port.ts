import { once } from 'node:events';
import { createServer } from 'node:net';

/** A claimed port: other claims of it fail until this is closed or its process ends. */
export interface Claim {
  close(): void;
}

/**
 * Claims a port of this machine before anything listens on it, and while its listener restarts. Returns undefined if
 * another process has claimed it. The claim is a socket in Linux's abstract namespace: like a port, it belongs to one
 * network namespace, and it ends with its process. On other systems every claim succeeds.
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
