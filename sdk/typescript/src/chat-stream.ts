import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ChatStreamPart } from '../gen/schemas.ts';
import { Call } from './call.ts';
import { ConnectionError } from './errors.ts';

type Bytes = ReadableStream<Uint8Array> | null;

/** The platform sends a sign of life each 15 seconds. */
const maxSilenceMs = 45_000;

/**
 * The parts of a turn, as they come. A stream that breaks off is continued after the last part that arrived; the turn
 * itself goes on whatever becomes of its readers.
 */
export class ChatStream implements AsyncIterable<ChatStreamPart> {
  #body: Bytes;
  readonly #resume: (lastId: string | undefined) => Promise<Bytes>;
  readonly #maxBreaks: number;
  readonly #signal: AbortSignal | undefined;

  constructor(body: Bytes, resume: (lastId: string | undefined) => Promise<Bytes>, maxBreaks: number, signal?: AbortSignal) {
    this.#body = body;
    this.#resume = resume;
    this.#maxBreaks = maxBreaks;
    this.#signal = signal;
  }

  /** What the builder says, without the other parts. */
  async text(): Promise<string> {
    let text = '';
    for await (const part of this) if (part.type === 'text-delta') text += part.delta;
    return text;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChatStreamPart, void, undefined> {
    let lastId: string | undefined;
    for (let breaks = 0; this.#body !== null; ) {
      let reason: unknown;
      try {
        for await (const { id, data } of eventsOf(this.#body)) {
          if (data === '[DONE]') return;
          lastId = id ?? lastId;
          breaks = 0;
          yield JSON.parse(data);
        }
      } catch (error) {
        this.#signal?.throwIfAborted();
        reason = error;
      }
      breaks += 1;
      if (breaks > this.#maxBreaks) throw new ConnectionError('The stream of the turn broke off.', { cause: reason });
      this.#body = await this.#resume(lastId);
    }
  }

  /** The same as a web stream, for readers such as the AI SDK. */
  readable(): ReadableStream<ChatStreamPart> {
    const parts = this[Symbol.asyncIterator]();
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await parts.return()),
    });
  }
}

/** A promise of a turn's stream; `for await` goes through its parts. */
export class ChatCall extends Call<ChatStream> implements AsyncIterable<ChatStreamPart> {
  async *[Symbol.asyncIterator](): AsyncGenerator<ChatStreamPart, void, undefined> {
    yield* await this;
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader.read());
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** Rejects once nothing has come for too long. */
function unlessSilent<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionError(`Nothing came for ${maxSilenceMs} ms.`)), maxSilenceMs);
  });
  return Promise.race([read, silence]).finally(() => clearTimeout(timer));
}
