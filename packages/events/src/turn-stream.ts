import { AppError } from '@webkiln/contract';
import { AckPolicy, DeliverPolicy, DiscardPolicy, nanos } from 'nats';
import type { Bus } from './bus.ts';
import { PersistentStream } from './persistent-stream.ts';
import { isStreamMissing } from './publish-failures.ts';

const keptMs = 3_600_000;
const maxBytes = 512 * 1024 ** 2;
const ackTimeoutMs = 5_000;
const duplicateWindowMs = 120_000;
/** The server forgets a reader that has gone away. */
const inactiveMs = 30_000;
const readAhead = 64;
const fetchTimeoutMs = 5_000;

/** A part of a turn as it was published; `seq` grows with each part. */
export interface StoredPart {
  readonly seq: number;
  readonly json: string;
}

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

  /** The parts of a turn after `seq`, and those to come, until its end or until `signal` aborts. */
  async *read(turnId: string, seq: number, signal: AbortSignal): AsyncGenerator<StoredPart, void, undefined> {
    const connection = await this.#connected();
    const start = seq > 0 ? { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: seq + 1 } : { deliver_policy: DeliverPolicy.All };
    const { consumers } = await connection.jetstreamManager({ checkAPI: false, timeout: ackTimeoutMs });
    const { name } = await consumers.add(this.name, {
      ...{ ack_policy: AckPolicy.None, mem_storage: true, inactive_threshold: nanos(inactiveMs) },
      ...{ filter_subject: this.#subject(turnId), ...start },
    });
    const consumer = await connection.jetstream().consumers.get(this.name, name);
    let stop = () => {};
    const onAbort = () => stop();
    signal.addEventListener('abort', onAbort);
    try {
      while (!signal.aborted) {
        const messages = await consumer.fetch({ max_messages: readAhead, expires: fetchTimeoutMs });
        stop = () => messages.stop();
        if (signal.aborted) stop();
        for await (const message of messages) {
          const json = message.string();
          yield { seq: message.seq, json };
          if (json === endOfTurn) return;
        }
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      stop();
      consumers.delete(this.name, name).catch(() => undefined); // The server deletes an idle reader in any case.
    }
  }

  async #connected() {
    const { connection } = this.#bus;
    if (connection === undefined) throw new AppError('unavailable');
    await this.ensure(connection);
    return connection;
  }
}
