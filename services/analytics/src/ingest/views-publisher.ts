import { randomBytes } from 'node:crypto';
import { type Bus, isStreamMissing } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import { type JetStreamClient, type NatsConnection, NatsError } from 'nats';
import { encodeMessage } from '../views/view.ts';
import type { ViewsStream } from '../views/views-stream.ts';

/** stored: on the stream's disk. unavailable: perhaps there, so nothing is claimed. full: not there. */
export type Published = 'stored' | 'unavailable' | 'full';

const ackWithinMs = 2000;
/** Less is no time in which NATS could answer. */
const leastMs = 10;

/** Puts messages on the stream of views. */
export class ViewsPublisher {
  readonly #bus: Bus;
  readonly #stream: ViewsStream;
  /** Begins the id of each message of this process. */
  readonly #process = randomBytes(9).toString('base64url');
  #messages = 0;
  #client: { readonly of: NatsConnection; readonly jetstream: JetStreamClient } | undefined;

  constructor(bus: Bus, stream: ViewsStream) {
    this.#bus = bus;
    this.#stream = stream;
  }

  get isAway(): boolean {
    return this.#bus.connection === undefined;
  }

  /**
   * Puts views, each from `encodeView`, on the stream as one message; it has 2 s from the moment that its first view came (`performance.now()`).
   * Without an answer in half of the time it is sent once more with the same id: the stream takes it once.
   */
  async publish(partition: number, views: readonly string[], openedAt: number): Promise<Published> {
    const subject = this.#stream.subjectOf(partition);
    const msgID = `${this.#process}.${this.#messages++}`;
    const message = encodeMessage(views);
    for (const share of [0.5, 1]) {
      const timeout = Math.floor((openedAt + ackWithinMs - performance.now()) * share);
      const { connection } = this.#bus;
      if (connection === undefined || timeout < leastMs) break;
      try {
        await this.#stream.ensure(connection);
        await this.#jetstream(connection).publish(subject, message, { msgID, timeout });
        return 'stored';
      } catch (error) {
        logger.warn({ err: error }, 'a message of views was not acknowledged');
        if (error instanceof NatsError && error.api_error !== undefined) return 'full';
        if (isStreamMissing(error)) this.#stream.forget();
      }
    }
    return 'unavailable';
  }

  #jetstream(of: NatsConnection): JetStreamClient {
    if (this.#client?.of !== of) this.#client = { of, jetstream: of.jetstream() };
    return this.#client.jetstream;
  }
}
