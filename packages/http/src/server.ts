import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { setTimeout as pause, setImmediate as pendingIo } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';

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

const handshakeTimeoutMs = 30_000;

/** The certificate of this process, and who may connect to it: `TlsIdentity` of packages/runtime. */
interface ServerTls {
  readonly material: SecureContextOptions;
  on(event: 'change', changed: () => void): void;
}

/** The one process that proxies HTTP. */
const caller = 'gateway';

/** Serves only connections with the gateway's certificate, of our authorities. New files apply to new connections. */
function mutualTlsServer(options: ServerOptions, handle: RequestListener, tls: ServerTls): Server {
  const server = createHttpsServer(
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

/** The notice period, in which load balancers react and busy connections close with their next response. */
const noticeMs = 1000;
const sweepIntervalMs = 50;

/**
 * Closes a server without resetting a connection: every response closes its connection from now on, requests in flight
 * are answered, and only idle connections are closed. New ones are accepted until the notice period ends; then
 * `endStreams` ends responses that would last, so that their readers do not come back to this server.
 */
export async function drainHttp(server: Server, endStreams: () => void = () => undefined): Promise<void> {
  server.prependListener('request', (_request, response) => void response.setHeader('Connection', 'close'));
  await pause(noticeMs);
  await pendingIo(); // reads requests that arrived within the notice period, however late this process is
  const closed = once(server, 'close');
  server.close();
  endStreams();
  // A response that started before the notice leaves its connection open.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
  await closed;
  clearInterval(sweep);
}

/**
 * Sends a body part by part; each is produced once the reader has taken the one before. The caller has written the
 * head, with a Content-Length. If a part fails, cuts the connection, so that the body never looks complete, and throws.
 */
export async function sendParts(response: ServerResponse, parts: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const part of parts) {
      if (!response.write(part)) await drained(response);
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves when the reader has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, for element content and quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
