import { AppError, type RequestBatch } from '@webkiln/contract';
import { DiscardPolicy, nanos } from 'nats';
import type { Bus } from './bus.ts';
import { isStreamMissing } from './nats-failures.ts';
import { PersistentStream } from './persistent-stream.ts';

const maxBytes = 256 * 1024 ** 2;

/** The stream of the requests that gateways answered, for usage and the request log; tests choose its name. */
export const answeredRequests = (bus: Bus, name = `${bus.settings.prefix}REQUESTS`): FireAndForgetStream<RequestBatch> =>
  new FireAndForgetStream(bus, { name, subject: 'requests.answered', maxBytes });

const ackTimeoutMs = 2_000;
const duplicateWindowMs = 10 * 60_000;

/** A message of such a stream; the stream drops repeats of its `id`. */
export interface StreamMessage {
  readonly id: string;
  readonly type: string;
}

interface Options {
  readonly name: string;
  /** The one subject, before the platform's prefix. */
  readonly subject: string;
  /** Its size on disk; beyond it the oldest messages are deleted. */
  readonly maxBytes: number;
}

/** A stream for messages that may be lost, so that no publisher waits for room. */
export class FireAndForgetStream<M extends StreamMessage> extends PersistentStream {
  readonly #bus: Bus;
  readonly #subject: string;

  constructor(bus: Bus, { name, subject, maxBytes }: Options) {
    const full = `${bus.settings.prefix}${subject}`;
    super(name, [full], {
      discard: DiscardPolicy.Old,
      max_bytes: maxBytes,
      duplicate_window: nanos(duplicateWindowMs),
      num_replicas: bus.settings.replicas,
    });
    this.#bus = bus;
    this.#subject = full;
  }

  /** Resolves when the message is on disk. Throws if that is unknown after 2 s: publishing it again is safe. */
  async publish(message: M): Promise<void> {
    const { connection } = this.#bus;
    if (connection === undefined) throw new AppError('unavailable');
    await this.ensure(connection);
    try {
      await connection.jetstream({ timeout: ackTimeoutMs }).publish(this.#subject, JSON.stringify(message), { msgID: message.id });
    } catch (error) {
      if (isStreamMissing(error)) this.forget();
      throw error;
    }
  }
}
