import { createServer, type RequestListener, type Server } from 'node:http';

/** A machine that is slow, or a caller's, may take its time between the connection and the request. */
const headersTimeoutMs = 30_000;
const requestTimeoutMs = 30_000;
/** Longer than a proxy in front keeps a connection, so that it is never closed under a request. */
const keepAliveTimeoutMs = 75_000;
/** A reader that takes nothing for so long is let go, and the bytes kept for it with it. */
const stalledMs = 60_000;

/** An HTTP server that slow or broken clients cannot hold up. */
export function createHttpServer(handle: RequestListener): Server {
  const limits = { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs };
  const server = createServer({ ...limits, connectionsCheckingInterval: 5000, requireHostHeader: false }, handle);
  server.setTimeout(stalledMs);
  return server;
}
