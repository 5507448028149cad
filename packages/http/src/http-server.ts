import { createServer, type RequestListener, type Server } from 'node:http';
import { mutualTlsServer, type ServerTls } from './mutual-tls-server.ts';

/** Slow machines need time between the connection and the request. */
const headersTimeoutMs = 30_000;
const requestTimeoutMs = 30_000;
/** Longer than a proxy in front keeps a connection, so that none closes during a request. */
const keepAliveTimeoutMs = 75_000;
/** A client that reads nothing for this long is disconnected, which frees its buffers. */
const stalledMs = 60_000;

/** An HTTP server whose timeouts protect it from slow or broken clients. With `tls` it serves the gateway alone. */
export function createHttpServer(handle: RequestListener, tls?: ServerTls): Server {
  const limits = { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs };
  const options = { ...limits, connectionsCheckingInterval: 5000, requireHostHeader: false };
  const server = tls === undefined ? createServer(options, handle) : mutualTlsServer(options, handle, tls);
  server.setTimeout(stalledMs);
  return server;
}
