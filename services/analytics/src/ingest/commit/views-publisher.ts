import { randomBytes } from 'node:crypto';
import type { Bus } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import type { NatsConnection } from 'nats';
import { encodeMessage } from '../../views/view.ts';
import type { ViewsStream } from '../../views/views-stream.ts';
import { AckInbox } from './ack-inbox.ts';

/** `stored`: on the stream's disk. `unavailable`: unknown, the views may be stored. `full`: not stored. */
export type PublishResult = 'stored' | 'unavailable' | 'full';

const defaultAckTimeoutMs = 2000;
/** NATS cannot answer within less. */
const minTimeoutMs = 10;

/** Publishes messages to the stream of views. */
export class ViewsPublisher {
  readonly #bus: Bus;
  readonly #stream: ViewsStream;
  /** Prefix of this process's message ids. */
  readonly #processId = randomBytes(9).toString('base64url');
  readonly #ackTimeoutMs: number;
  #messageCount = 0;
  #inbox: AckInbox | undefined;

  /** `ackTimeoutMs`: how long a message may take to be acknowledged; default 2,000. */
  constructor(bus: Bus, stream: ViewsStream, { ackTimeoutMs = defaultAckTimeoutMs } = {}) {
    this.#ackTimeoutMs = ackTimeoutMs;
    this.#bus = bus;
    this.#stream = stream;
  }

  get isDisconnected(): boolean {
    return this.#bus.connection === undefined;
  }

  /**
   * Publishes the views of several requests (see `encodeMessage`) as one message. `openedAt` is when the first view
   * arrived (`performance.now()`); the timeout counts from then. After half of the timeout the message is sent again
   * with the same id, and the stream stores it once.
   */
  async publish(requests: readonly string[], openedAt: number): Promise<PublishResult> {
    const id = `${this.#processId}.${this.#messageCount++}`;
    const message = encodeMessage(requests);
    for (const share of [0.5, 1]) {
      const timeoutMs = Math.floor((openedAt + this.#ackTimeoutMs - performance.now()) * share);
      const { connection } = this.#bus;
      if (connection === undefined || timeoutMs < minTimeoutMs || !(await this.#ensureStream(connection))) break;
      const ack = await this.#inboxFor(connection).publish(this.#stream.subject, message, { id, timeoutMs });
      if (ack === 'stored') return 'stored';
      if (ack === 'refused') return 'full';
      if (ack === 'missing') this.#stream.forget();
      else logger.warn('views message was not acknowledged in time');
    }
    return 'unavailable';
  }

  async #ensureStream(connection: NatsConnection): Promise<boolean> {
    try {
      await this.#stream.ensure(connection);
      return true;
    } catch (error) {
      logger.warn({ err: error }, 'stream of views is not available; views are refused');
      return false;
    }
  }

  #inboxFor(connection: NatsConnection): AckInbox {
    if (this.#inbox?.connection !== connection) this.#inbox = new AckInbox(connection);
    return this.#inbox;
  }
}
