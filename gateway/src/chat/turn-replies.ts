import type { ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { type StoredPart, TurnStream, theBus } from '@webkiln/events/streams';
import type { Caller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import type { Exchange, ResponseWriter } from '../api/response-writer.ts';

const pingMs = 15_000;
/** A turn that waits for its slot says nothing for a minute at most; one whose parts are gone says nothing at all. */
const maxSilenceMs = 75_000;
/** No turn lasts longer. */
const maxStreamMs = 15 * 60_000;
/** A reader that takes less than is said is dropped; it can continue with `Last-Event-ID`. */
const maxUnreadBytes = 512 * 1024;

const headers = [
  ...['Content-Type', 'text/event-stream; charset=utf-8'],
  ...['X-Accel-Buffering', 'no', 'x-vercel-ai-ui-message-stream', 'v1'],
];

/** The reply of an operation whose output is a stream; without a turn there is nothing to read. */
export interface TurnReply {
  readonly turn_id: string;
}

interface Context {
  readonly request: Record<string, unknown>;
  readonly caller: Caller;
  readonly replayed: boolean;
}

/**
 * Sends what a turn says as server-sent events (WHATWG HTML §9.2). It reads the parts from JetStream, so any gateway
 * can continue a stream, and the service that works on the turn may restart.
 */
export class TurnReplies {
  readonly #responses: ResponseWriter;
  readonly #stream = new TurnStream(theBus());
  readonly #ending = new AbortController();

  constructor(responses: ResponseWriter) {
    this.#responses = responses;
  }

  async send(exchange: Exchange, { turn_id }: TurnReply, { request, caller, replayed }: Context): Promise<void> {
    if (turn_id === '') return this.#responses.send(exchange, 204, undefined, []);
    if (replayed) await assertOver(turn_id, request, caller);
    const { response } = exchange;
    const gone = new AbortController();
    const end = () => gone.abort();
    response.once('close', end);
    this.#ending.signal.addEventListener('abort', end);
    const overdue = setTimeout(end, maxStreamMs);
    const silent = setTimeout(end, maxSilenceMs);
    try {
      const parts = this.#stream.read(turn_id, lastEventId(exchange), gone.signal);
      const first = await parts.next();
      clearTimeout(silent);
      if (response.destroyed) return;
      // Its parts are gone, or it has not begun.
      if (first.done === true) throw new AppError('unavailable');
      this.#responses.begin(exchange, 200, headers);
      // A stream that breaks off tells its reader to continue.
      await write(response, first.value, parts).catch(() => response.destroy());
      response.end();
    } finally {
      clearTimeout(silent);
      clearTimeout(overdue);
      this.#ending.signal.removeEventListener('abort', end);
      end();
    }
  }

  /** Ends all streams: their readers continue at another gateway. */
  close(): void {
    this.#ending.abort();
  }
}

/** Of a repeated POST: while its first attempt runs, the repeat is refused as every other one. */
async function assertOver(turn_id: string, { project_id }: Record<string, unknown>, { principal, requestId, deadlineAt }: Caller) {
  const running = await call('embed.ResumeTurn', { project_id: String(project_id) }, { principal, requestId, deadlineAt });
  if (running.turn_id === turn_id) throw new AppError('request_in_flight');
}

function lastEventId({ request }: Exchange): number {
  const seq = Number(request.headers['last-event-id'] ?? 0);
  return request.method === 'GET' && Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
}

async function write(response: ServerResponse, first: StoredPart, rest: AsyncIterable<StoredPart>): Promise<void> {
  const ping = setInterval(() => response.write(': ping\n\n'), pingMs);
  try {
    response.write(eventOf(first));
    for await (const part of rest) {
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
