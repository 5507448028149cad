import { once } from 'node:events';
import type { Server } from 'node:http';
import { setImmediate as nextTick, setTimeout as pause } from 'node:timers/promises';

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
  await nextTick(); // reads requests that arrived within the notice period, however late this process is
  const closed = once(server, 'close');
  server.close();
  endStreams();
  // A response that started before the notice leaves its connection open.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepIntervalMs);
  await closed;
  clearInterval(sweep);
}
