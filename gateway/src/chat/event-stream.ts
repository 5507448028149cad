import type { IncomingMessage, ServerResponse } from 'node:http';
import type { StoredPart } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';

const pingMs = 15_000;
/** A reader that takes less than is said is dropped; it can continue with `Last-Event-ID`. */
const maxUnreadBytes = 512 * 1024;

/** Headers of a stream of server-sent events (WHATWG HTML §9.2). */
export const eventStreamHeaders = [
  ...['Content-Type', 'text/event-stream; charset=utf-8'],
  ...['X-Accel-Buffering', 'no', 'x-vercel-ai-ui-message-stream', 'v1'],
  // A stream that a stopping gateway ends is continued at once: not on the connection that is about to be closed.
  ...['Connection', 'close'],
];

/** The number of the last part that the reader has; 0 for one that begins. */
export function lastEventId({ method, headers }: IncomingMessage): number {
  const seq = Number(headers['last-event-id'] ?? 0);
  return method === 'GET' && Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
}

/** Writes each part as an event, and pings between them. Drops a reader that is too slow. */
export async function writeEvents(response: ServerResponse, parts: AsyncIterable<StoredPart>): Promise<void> {
  const ping = setInterval(() => response.write(': ping\n\n'), pingMs);
  try {
    for await (const part of parts) {
      response.write(eventOf(part));
      if (response.writableLength > maxUnreadBytes) {
        logger.warn('a reader of a turn is too slow and was dropped; it can continue');
        response.destroy();
        return;
      }
    }
  } finally {
    clearInterval(ping);
  }
}

const eventOf = ({ seq, json }: StoredPart) => `id: ${seq}\ndata: ${json}\n\n`;
