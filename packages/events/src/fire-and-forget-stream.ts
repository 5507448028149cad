import { AppError } from '@webkiln/contract';
import { DiscardPolicy, nanos } from 'nats';
import type { Bus } from './bus.ts';
import { isStreamMissing } from './publish-failures.ts';
import { KeptStream } from './stream.ts';

const ackWithinMs = 2_000;
const duplicateWindowMs = 10 * 60_000;

/** What stands on such a stream: `id` makes repeats one. */
export interface LossyMessage {
  readonly id: string;
  readonly type: string;
}

interface Options {
  readonly name: string;
  /** The one subject, before the platform's prefix. */
  readonly subject: string;
  /** What it may take on disk; beyond that the oldest messages go. */
  readonly maxBytes: number;
}

/** A stream beside the one of events, for what is better lost than waited for. */
export class LossyStream<M extends LossyMessage> extends KeptStream {
  readonly #bus: Bus;
  readonly #subject: string;

  constructor(bus: Bus, { name, subject, maxBytes }: Options) {
    const full = `${bus.settings.prefix}${subject}`;
    super(name, [full], { discard: DiscardPolicy.Old, max_bytes: maxBytes, duplicate_window: nanos(duplicateWindowMs) });
    this.#bus = bus;
    this.#subject = full;
  }

  /** Resolves when the message is on disk, and throws where that is not known within 2 s: publishing it again is safe. */
  async publish(message: M): Promise<void> {
    const { connection } = this.#bus;
    if (connection === undefined) throw new AppError('unavailable');
    await this.ensure(connection);
    try {
      await connection.jetstream({ timeout: ackWithinMs }).publish(this.#subject, JSON.stringify(message), { msgID: message.id });
    } catch (error) {
      if (isStreamMissing(error)) this.forget();
      throw error;
    }
  }
}
