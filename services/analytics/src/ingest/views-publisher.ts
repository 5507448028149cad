import { randomBytes } from 'node:crypto';
import type { Bus } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import type { NatsConnection } from 'nats';
import { encodeMessage } from '../views/view.ts';
import type { ViewsStream } from '../views/views-stream.ts';
import { AckInbox } from './ack-inbox.ts';

/** stored: on the stream's disk. unavailable: perhaps there, so nothing is claimed. full: not there. */
export type Published = 'stored' | 'unavailable' | 'full';

const usualAckMs = 2000;
/** Less is no time in which NATS could answer. */
const leastMs = 10;

/** Puts messages on the stream of views. */
export class ViewsPublisher {
  readonly #bus: Bus;
  readonly #stream: ViewsStream;
  /** Begins the id of each message of this process. */
  readonly #process = randomBytes(9).toString('base64url');
  readonly #ackWithinMs: number;
  #messages = 0;
  #acks: AckInbox | undefined;

  /** `ackWithinMs` is what a message has to be acknowledged; default 2,000. */
  constructor(bus: Bus, stream: ViewsStream, { ackWithinMs = usualAckMs } = {}) {
    this.#ackWithinMs = ackWithinMs;
    this.#bus = bus;
    this.#stream = stream;
  }

  get isAway(): boolean {
    return this.#bus.connection === undefined;
  }

  /**
   * Puts the views of requests (see `encodeMessage`) on the stream as one message; its time runs from the moment that its first view came (`performance.now()`).
   * Without an answer in half of the time it is sent once more with the same id: the stream takes it once.
   */
  async publish(requests: readonly string[], openedAt: number): Promise<Published> {
    const id = `${this.#process}.${this.#messages++}`;
    const message = encodeMessage(requests);
    for (const share of [0.5, 1]) {
      const timeoutMs = Math.floor((openedAt + this.#ackWithinMs - performance.now()) * share);
      const { connection } = this.#bus;
      if (connection === undefined || timeoutMs < leastMs || !(await this.#isThere(connection))) break;
      const answer = await this.#acksOf(connection).put(this.#stream.subject, message, { id, timeoutMs });
      if (answer === 'stored') return 'stored';
      if (answer === 'refused') return 'full';
      if (answer === 'missing') this.#stream.forget();
      else logger.warn('a message of views was not acknowledged in time');
    }
    return 'unavailable';
  }

  async #isThere(connection: NatsConnection): Promise<boolean> {
    try {
      await this.#stream.ensure(connection);
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'the stream of views cannot be had');
      return false;
    }
  }

  #acksOf(connection: NatsConnection): AckInbox {
    if (this.#acks?.connection !== connection) this.#acks = new AckInbox(connection);
    return this.#acks;
  }
}
