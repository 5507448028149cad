import { inboxPrefix } from '@webkiln/events/permissions';
import { logger } from '@webkiln/runtime';
import { createInbox, headers, type Msg, type NatsConnection } from 'nats';

/**
 * `stored`: on disk. `refused`: the stream returned an error. `missing`: no such stream. `none`: no ack in time, so
 * the message may be stored.
 */
type Ack = 'stored' | 'refused' | 'missing' | 'none';

const messageIdHeader = 'Nats-Msg-Id';
const noRespondersCode = 503;

/**
 * Publishes to JetStream with one shared subscription for all acks. The client's own `publish` creates several
 * promises and an error with a stack trace per message, which costs more than handling the views of a small message.
 */
export class AckInbox {
  readonly connection: NatsConnection;
  readonly #inbox: string;
  /** Keyed by reply subject. */
  readonly #pending = new Map<string, (ack: Ack) => void>();
  #messages = 0;

  /** The client renews the subscription itself after a reconnect. */
  constructor(connection: NatsConnection) {
    this.connection = connection;
    this.#inbox = createInbox(inboxPrefix('analytics'));
    connection.subscribe(`${this.#inbox}.*`, { callback: (_error, message) => this.#pending.get(message.subject)?.(parseAck(message)) });
  }

  /** Publishes a message. The stream stores repeats of an id within its duplicate window once. Never rejects. */
  publish(subject: string, message: string, { id, timeoutMs }: { id: string; timeoutMs: number }): Promise<Ack> {
    const reply = `${this.#inbox}.${this.#messages++}`;
    const added = headers();
    added.set(messageIdHeader, id);
    return new Promise((resolve) => {
      const settle = (ack: Ack) => {
        clearTimeout(timer);
        this.#pending.delete(reply);
        resolve(ack);
      };
      const timer = setTimeout(settle, timeoutMs, 'none');
      this.#pending.set(reply, settle);
      try {
        this.connection.publish(subject, message, { reply, headers: added });
      } catch (error) {
        logger.warn({ err: error }, 'message could not be sent to NATS');
        settle('none');
      }
    });
  }
}

function parseAck(message: Msg): Ack {
  if (message.headers?.code === noRespondersCode) return 'missing';
  const { error, stream } = message.json<{ error?: unknown; stream?: string }>();
  if (error === undefined && typeof stream === 'string') return 'stored';
  logger.warn({ answer: error }, 'the stream refused a message');
  return 'refused';
}
