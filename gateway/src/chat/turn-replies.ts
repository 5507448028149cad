import { AppError } from '@webkiln/contract';
import { TurnStream, theBus } from '@webkiln/events/streams';
import { type Caller, callerFor, servicePrincipal } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import type { Exchange } from '../api/exchange.ts';
import type { ResponseWriter } from '../api/response-writer.ts';
import { holdSlot } from '../in-flight/hold-slot.ts';
import type { RequestSlots } from '../in-flight/request-slots.ts';
import { eventStreamHeaders, lastEventId, writeEvents } from './event-stream.ts';
import { partsUntilEnd, type RecordedTurn } from './turn-parts.ts';

const askTimeoutMs = 5_000;
/** No turn lasts longer. */
const maxStreamMs = 15 * 60_000;

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
export class TurnReplies {
  readonly #responses: ResponseWriter;
  readonly #stream = new TurnStream(theBus());
  readonly #ending = new AbortController();
  readonly #slots: RequestSlots;

  /** `slots`: of open streams, by credential. */
  constructor(responses: ResponseWriter, slots: RequestSlots) {
    this.#responses = responses;
    this.#slots = slots;
  }

  /** Takes one of the credential's places for streams, before anything begins. Throws `too_many_in_flight`. */
  async admit({ response }: Exchange, { principal }: Caller): Promise<void> {
    await holdSlot(this.#slots, principal.credential_id, response);
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
      await writeEvents(response, partsUntilEnd(source)).catch(() => response.destroy());
      response.end();
    } finally {
      clearTimeout(overdue);
      end();
    }
  }

  /** Ends all streams without `[DONE]`, also those that begin later: their readers continue at another gateway. */
  close(): void {
    this.#ending.abort();
  }
}

/** The turn, unless it runs. While embed does not answer, a turn counts as running: its parts may come. */
async function endedTurn(turn_id: string, { principal, requestId }: Caller): Promise<RecordedTurn | undefined> {
  const caller = { ...callerFor(servicePrincipal('gateway', principal.org_id), { timeoutMs: askTimeoutMs }), requestId };
  try {
    const turn = await call('embed.GetTurn', { turn_id }, caller);
    return turn.state === 'running' ? undefined : turn;
  } catch (err) {
    logger.warn({ err, turn_id }, 'what has become of a turn is not known');
    return undefined;
  }
}
