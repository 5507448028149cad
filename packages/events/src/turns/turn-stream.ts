import { AppError } from '@webkiln/contract';
import { logger, pause } from '@webkiln/runtime';
import { AckPolicy, type Consumer, DeliverPolicy, DiscardPolicy, NatsError, nanos } from 'nats';
import type { Bus } from '../bus.ts';
import { askNats, hasLostMessage, isStreamMissing } from '../nats-failures.ts';
import { PersistentStream } from '../persistent-stream.ts';

const keptMs = 3_600_000;
const maxBytes = 512 * 1024 ** 2;
const ackTimeoutMs = 5_000;
const duplicateWindowMs = 120_000;
/** The server forgets a reader that has gone away. */
const inactiveMs = 30_000;
const retryMs = 500;

/** The text of the last part of each turn. */
export const endOfTurn = '[DONE]';

/**
 * What turns of the builder say, part by part, for an hour: any process can read a turn from any part on, while it runs
 * and afterwards. Beyond its size the oldest parts are deleted.
 */
export class TurnStream extends PersistentStream {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    super(`${bus.settings.prefix}TURNS`, [`${bus.settings.prefix}turns.>`], {
      discard: DiscardPolicy.Old,
      max_bytes: maxBytes,
      max_age: nanos(keptMs),
      duplicate_window: nanos(duplicateWindowMs),
      num_replicas: bus.settings.replicas,
    });
    this.#bus = bus;
  }

  #subject(turnId: string): string {
    return `${this.#bus.settings.prefix}turns.${turnId}`;
  }

  /** Resolves when the part is on disk; a repeat of its `number` is dropped. Throws `unavailable` without NATS. */
  async publish(turnId: string, number: number | string, json: string): Promise<void> {
    const connection = await this.#connected();
    try {
      await connection.jetstream({ timeout: ackTimeoutMs }).publish(this.#subject(turnId), json, { msgID: `${turnId} ${number}` });
    } catch (error) {
      if (isStreamMissing(error)) this.forget();
      throw error;
    }
  }

  /**
   * The parts of a turn after `seq`, and those to come, until its end or until `signal` aborts. Throws `unavailable`
   * without NATS; if it goes away later, the parts come when it is back.
   */
  async read(turnId: string, seq: number, signal: AbortSignal): Promise<AsyncGenerator<StoredPart, void, undefined>> {
    return this.#follow(turnId, seq, signal, await askNats(() => this.#reader(turnId, seq)));
  }

  /** The parts that a turn has published until now, of those that are kept. Throws without NATS, or if it goes away. */
  async *published(turnId: string, signal: AbortSignal): AsyncGenerator<StoredPart, void, undefined> {
    const { consumer, waiting, forget } = await this.#reader(turnId, 0);
    let rest = waiting;
    try {
      if (rest === 0) return;
      for await (const part of readParts(consumer, signal)) {
        yield part;
        if (--rest === 0) return;
      }
    } finally {
      forget();
    }
  }

  /**
   * True if the turn has said the part `seq`, and that was not its end. False if the part is not kept any more. Throws
   * `unavailable` without NATS.
   */
  async hasRest(turnId: string, seq: number): Promise<boolean> {
    const part = await askNats(async () => {
      const connection = await this.#connected();
      const { streams } = await connection.jetstreamManager({ checkAPI: false, timeout: ackTimeoutMs });
      return streams.getMessage(this.name, { seq }).catch(unlessMissing);
    });
    return part?.subject === this.#subject(turnId) && part.string() !== endOfTurn;
  }

  async *#follow(turnId: string, after: number, signal: AbortSignal, opened: Reader): AsyncGenerator<StoredPart, void, undefined> {
    let reader: Reader | undefined = opened;
    let last = after;
    while (!signal.aborted) {
      try {
        reader ??= await this.#reader(turnId, last);
        for await (const part of readParts(reader.consumer, signal)) {
          last = part.seq;
          yield part;
          if (part.json === endOfTurn) return;
        }
      } catch (err) {
        logger.warn({ err, turn_id: turnId }, 'the reader of a turn was lost; another one goes on after the last part');
        await pause(retryMs, signal);
      } finally {
        reader?.forget();
        reader = undefined;
      }
    }
  }

  /** NATS keeps readers in memory: a restart loses them, and a new one continues. */
  async #reader(turnId: string, seq: number): Promise<Reader> {
    const connection = await this.#connected();
    const start = seq > 0 ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: seq + 1 } : { deliver_policy: DeliverPolicy.All };
    const { consumers } = await connection.jetstreamManager({ checkAPI: false, timeout: ackTimeoutMs });
    const { name, num_pending } = await consumers.add(this.name, {
      ...{ ack_policy: AckPolicy.None, mem_storage: true, inactive_threshold: nanos(inactiveMs) },
      ...{ filter_subject: this.#subject(turnId), ...start },
    });
    return {
      consumer: await connection.jetstream().consumers.get(this.name, name),
      waiting: num_pending,
      // The server deletes an idle reader in any case.
      forget: () => void consumers.delete(this.name, name).catch(() => undefined),
    };
  }

  async #connected() {
    const { connection } = this.#bus;
    if (connection === undefined) throw new AppError('unavailable');
    await this.ensure(connection);
    return connection;
  }
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof NatsError) || error.api_error?.code !== 404) throw error;
}

interface Reader {
  readonly consumer: Consumer;
  /** The parts that were there when it was made. */
  readonly waiting: number;
  forget(): void;
}

const readAhead = 64;
const fetchTimeoutMs = 5_000;

/** A part of a turn as it was published; `seq` grows with each part. */
export interface StoredPart {
  readonly seq: number;
  readonly json: string;
}

const lost = () => new Error('a part was lost between NATS and its reader');

/** The parts that a reader delivers, in order. Throws when it is lost, or has lost a part on its way. */
export async function* readParts(consumer: Consumer, signal: AbortSignal): AsyncGenerator<StoredPart, void, undefined> {
  let delivered = 0;
  let stop = () => {};
  const onAbort = () => stop();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      const messages = await consumer.fetch({ max_messages: readAhead, expires: fetchTimeoutMs });
      stop = () => messages.stop();
      if (signal.aborted) stop();
      const before = delivered;
      for await (const message of messages) {
        if (message.info.deliverySequence !== ++delivered) throw lost();
        yield { seq: message.seq, json: message.string() };
      }
      if (delivered === before && !signal.aborted && (await hasLostMessage(consumer, delivered))) throw lost();
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop();
  }
}
