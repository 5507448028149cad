import type { RequestListener, Server } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { SecureContextOptions } from 'node:tls';

const handshakeTimeoutMs = 30_000;

/** The certificate of this process, and who may connect to it: `TlsIdentity` of packages/runtime. */
export interface ServerTls {
  readonly material: SecureContextOptions;
  on(event: 'change', changed: () => void): void;
}

/** The one process that proxies HTTP. */
const caller = 'gateway';

/** Serves only connections with the gateway's certificate, of our authorities. New files apply to new connections. */
export function mutualTlsServer(options: ServerOptions, handle: RequestListener, tls: ServerTls): Server {
  const server = createServer(
    { ...options, ...tls.material, requestCert: true, rejectUnauthorized: true, handshakeTimeout: handshakeTimeoutMs },
    handle,
  );
  server.on('secureConnection', (socket) => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate?.checkHost(caller, { wildcards: false, subject: 'never' }) === undefined) socket.destroy();
  });
  tls.on('change', () => server.setSecureContext(tls.material));
  return server;
}
