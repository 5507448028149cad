import { once } from 'node:events';
import type { Server } from 'node:http';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Time for load balancers to hear of it, and for connections in use to end with their next answer. */
const noticeMs = 1000;
const sweepEveryMs = 50;

/**
 * Ends a server without a reset: every answer closes its connection from now on, what is in hand is answered, and connections are
 * closed only while they rest. New ones are taken until the notice is over.
 */
export async function drainHttp(server: Server): Promise<void> {
  server.prependListener('request', (_request, response) => void response.setHeader('Connection', 'close'));
  await pause(noticeMs);
  await nextTurn(); // what came within the notice is read first, however late this process is
  const closed = once(server, 'close');
  server.close();
  // An answer begun before the notice leaves its connection open.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepEveryMs);
  await closed;
  clearInterval(sweep);
}
