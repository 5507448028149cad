import type { Consumer } from 'nats';
import { hasLostMessage } from '../lost-message.ts';

const readAhead = 64;
const fetchTimeoutMs = 5_000;

/** A part of a turn as it was published; `seq` grows with each part. */
export interface StoredPart {
  readonly seq: number;
  readonly json: string;
}

const lost = () => new Error('a part was lost between NATS and its reader');

/** What a reader delivers, in order. Throws when it is lost, or has lost a part on its way. */
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
