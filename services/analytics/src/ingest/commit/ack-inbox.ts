import { logger } from '@webkiln/runtime';
import { createInbox, headers, type Msg, type NatsConnection } from 'nats';

/** stored: on disk. refused: the stream says why not. missing: there is no stream. none: no answer in time, so it may be either. */
type Answer = 'stored' | 'refused' | 'missing' | 'none';

const messageId = 'Nats-Msg-Id';
const noResponders = 503;

/**
 * Puts messages on JetStream streams, with one subscription for all answers. The client's own `publish` makes several promises and an error with
 * its stack for each message: more work than all views of one that holds few.
 */
export class AckInbox {
  readonly connection: NatsConnection;
  readonly #inbox = createInbox();
  /** By where the answer goes. */
  readonly #waiting = new Map<string, (answer: Answer) => void>();
  #messages = 0;

  /** The client subscribes again by itself whenever the connection comes back. */
  constructor(connection: NatsConnection) {
    this.connection = connection;
    connection.subscribe(`${this.#inbox}.*`, { callback: (_error, message) => this.#waiting.get(message.subject)?.(answerIn(message)) });
  }

  /** Puts a message on the stream that has the subject; messages with one id that come within the stream's window are one. Never rejects. */
  put(subject: string, message: string, { id, timeoutMs }: { id: string; timeoutMs: number }): Promise<Answer> {
    const reply = `${this.#inbox}.${this.#messages++}`;
    const added = headers();
    added.set(messageId, id);
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        clearTimeout(timer);
        this.#waiting.delete(reply);
        resolve(answer);
      };
      const timer = setTimeout(settle, timeoutMs, 'none');
      this.#waiting.set(reply, settle);
      try {
        this.connection.publish(subject, message, { reply, headers: added });
      } catch (error) {
        logger.warn({ err: error }, 'a message could not be sent');
        settle('none');
      }
    });
  }
}

function answerIn(message: Msg): Answer {
  if (message.headers?.code === noResponders) return 'missing';
  const { error, stream } = message.json<{ error?: unknown; stream?: string }>();
  if (error === undefined && typeof stream === 'string') return 'stored';
  logger.warn({ answer: error }, 'the stream does not take a message');
  return 'refused';
}
