import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@webkiln/contract';
import { endOfTurn, type StoredPart, TurnStream, theBus } from '@webkiln/events/streams';
import { type Caller, type Principal, serviceCaller } from '@webkiln/messages';
import { call, type IncomingReply } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import type { Exchange } from './exchange.ts';
import type { ResponseWriter } from './response-writer.ts';

const askTimeoutMs = 5_000;
/** No turn lasts longer. */
const maxStreamMs = 15 * 60_000;
/** After so long without a part the gateway asks what has become of the turn. */
const askAfterMs = 5_000;
/** The last parts of a turn that has ended may still be on their way. */
const lateMs = 1_000;
const pingMs = 15_000;
/** A reader with more unread bytes is dropped; it can continue with `Last-Event-ID`. */
const maxUnreadBytes = 512 * 1024;

/** Headers of a stream of server-sent events (WHATWG HTML §9.2). */
const eventStreamHeaders = [
  ...['Content-Type', 'text/event-stream; charset=utf-8'],
  ...['X-Accel-Buffering', 'no', 'x-vercel-ai-ui-message-stream', 'v1'],
  // A stream that a stopping gateway ends is continued at once: not on the connection that is about to be closed.
  ...['Connection', 'close'],
];

/** The reply of an operation whose output is a stream; without a turn there is nothing to read. */
export interface TurnReply {
  readonly turn_id: string;
  /** The latest turn if none runs. */
  readonly ended_turn_id?: string;
}

interface Context {
  readonly caller: Caller;
  readonly replayed: boolean;
}

/**
 * Sends what a turn says as server-sent events. It reads the parts from JetStream, so any gateway can continue a
 * stream, and the service that works on the turn may restart.
 */
export class TurnStreamResponses {
  readonly #responses: ResponseWriter;
  readonly #stream = new TurnStream(theBus());
  readonly #ending = new AbortController();

  constructor(responses: ResponseWriter) {
    this.#responses = responses;
  }

  async send(exchange: Exchange, { turn_id: running, ended_turn_id: ended = '' }: TurnReply, { caller, replayed }: Context): Promise<void> {
    const after = lastEventId(exchange.request);
    const hasRest = running === '' && ended !== '' && after > 0 && (await this.#stream.hasRest(ended, after));
    const turn_id = hasRest ? ended : running;
    if (turn_id === '') return this.#responses.send(exchange, 204, undefined, []);
    const findEnded = () => endedTurn(turn_id, caller);
    if (replayed && (await findEnded()) === undefined) throw new AppError('request_in_flight');
    const { response } = exchange;
    const gone = new AbortController();
    const end = () => gone.abort();
    response.once('close', end);
    const overdue = setTimeout(end, maxStreamMs);
    try {
      const parts = await this.#stream.read(turn_id, after, AbortSignal.any([gone.signal, this.#ending.signal]));
      if (response.destroyed) return;
      this.#responses.begin(exchange, 200, eventStreamHeaders);
      response.flushHeaders();
      exchange.releaseSlot?.();
      const source = { turnId: turn_id, parts, after, isOver: replayed || hasRest, findEnded };
      // A stream that breaks off tells its reader to continue.
      await writeEvents(response, partsUntilEnd(source), caller.principal).catch(() => response.destroy());
      response.end();
    } finally {
      clearTimeout(overdue);
      end();
    }
  }

  /** What a turn says, from its beginning to its end, until `signal` aborts or this process stops. */
  async read(turnId: string, caller: Caller, signal: AbortSignal): Promise<AsyncGenerator<StoredPart, void, undefined>> {
    const parts = await this.#stream.read(turnId, 0, AbortSignal.any([signal, this.#ending.signal]));
    return partsUntilEnd({ turnId, parts, after: 0, isOver: false, findEnded: () => endedTurn(turnId, caller) });
  }

  /** Ends all streams without `[DONE]`, also those that begin later: their readers continue at another gateway. */
  close(): void {
    this.#ending.abort();
  }
}

/** The turn, unless it runs. While embed does not answer, a turn counts as running: its parts may come. */
async function endedTurn(turn_id: string, { principal, requestId }: Caller): Promise<RecordedTurn | undefined> {
  const caller = { ...serviceCaller('gateway', principal.org_id, askTimeoutMs), requestId };
  try {
    const turn = await call('embed.GetTurn', { turn_id }, caller);
    return turn.state === 'running' ? undefined : turn;
  } catch (err) {
    logger.warn({ err, turn_id }, 'turn lookup failed; treating the turn as running');
    return undefined;
  }
}

/** The number of the last part that the reader has; 0 for one that begins. */
function lastEventId({ method, headers }: IncomingMessage): number {
  const seq = Number(headers['last-event-id'] ?? 0);
  return method === 'GET' && Number.isSafeInteger(seq) && seq > 0 ? seq : 0;
}

/** Writes each part as an event, and pings between them. Drops a reader that is too slow. */
async function writeEvents(response: ServerResponse, parts: AsyncIterable<StoredPart>, reader: Principal): Promise<void> {
  const ping = setInterval(() => response.write(': ping\n\n'), pingMs);
  try {
    for await (const part of parts) {
      response.write(eventOf(reader.user_id === undefined ? part : withoutBalance(part)));
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

/** What the organization has left is its members' business, not that of clients and embed sessions. */
function withoutBalance({ seq, json }: StoredPart): StoredPart {
  if (!json.startsWith('{"type":"data-usage"')) return { seq, json };
  const { data, ...part } = JSON.parse(json);
  return { seq, json: JSON.stringify({ ...part, data: { credits: data.credits } }) };
}

const eventOf = ({ seq, json }: StoredPart) => `id: ${seq}\ndata: ${json}\n\n`;

/** A turn as the service that works on it has recorded it. */
type RecordedTurn = IncomingReply<'embed.GetTurn'>;

interface Source {
  readonly turnId: string;
  readonly parts: AsyncGenerator<StoredPart, void, undefined>;
  /** The number of the part that the reader has seen last; 0 for none. */
  readonly after: number;
  /** True if the turn is known to have ended. */
  readonly isOver: boolean;
  /** The turn once it has ended; undefined while it runs, or if embed does not answer. */
  readonly findEnded: () => Promise<RecordedTurn | undefined>;
}

/**
 * The parts of a turn up to `[DONE]`. What is missing of a turn that has ended is made from its record: parts are kept
 * for an hour, and a process may die before it has published the last ones.
 */
async function* partsUntilEnd({ turnId, parts, after, isOver, findEnded }: Source): AsyncGenerator<StoredPart, void, undefined> {
  let last = after;
  let hasEnded = isOver;
  let next = parts.next();
  for (;;) {
    const part = await within(next, hasEnded ? lateMs : askAfterMs);
    if (part !== undefined) {
      if (part.done === true) return;
      last = part.value.seq;
      yield part.value;
      next = parts.next();
      continue;
    }
    const ended = await findEnded();
    if (ended === undefined) continue;
    if (hasEnded) return yield* numbered([...(last === 0 ? beginning(turnId, ended) : []), ...ending(turnId, ended)], last);
    hasEnded = true;
  }
}

/** Undefined if the promise takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: silence, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function* numbered(texts: readonly string[], last: number): Generator<StoredPart, void> {
  let seq = last;
  for (const json of texts) yield { seq: ++seq, json };
}

function beginning(turn_id: string, { text }: RecordedTurn): string[] {
  const start = { type: 'start', messageId: turn_id, messageMetadata: { turn_id } };
  if (text === '') return [JSON.stringify(start)];
  const id = `text-${turn_id}`;
  const said = [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: text },
    { type: 'text-end', id },
  ];
  return [start, ...said].map((part) => JSON.stringify(part));
}

const unknown = 'This turn is not kept any more.';
const failed = 'This turn did not come to its end. The site is as it was before: send the message again.';

function ending(turn_id: string, { state, revision_id }: RecordedTurn): string[] {
  const last =
    state === 'done'
      ? { type: 'finish', messageMetadata: { turn_id, revision_id: revision_id ?? null } }
      : state === 'stopped'
        ? { type: 'abort' }
        : { type: 'error', errorText: state === '' ? unknown : failed };
  return [JSON.stringify(last), endOfTurn];
}
