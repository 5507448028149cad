import { endOfTurn, type TurnStream } from '@webkiln/events/streams';
import { logger } from '@webkiln/runtime';
import type { TurnPart } from '../../engines/engine.ts';

/** Beyond it a turn says no more; its result is in the project. */
const maxBytes = 4 * 1024 * 1024;

/** Publishes the parts of one turn, in their order. What cannot be published is lost to readers, not to the project. */
export class TurnParts {
  readonly #stream: TurnStream;
  readonly #turnId: string;
  #number = 0;
  #bytes = 0;
  #published: Promise<void> = Promise.resolve();

  constructor(stream: TurnStream, turnId: string) {
    this.#stream = stream;
    this.#turnId = turnId;
  }

  readonly emit = (part: TurnPart): void => {
    const json = JSON.stringify(part);
    this.#bytes += json.length;
    if (this.#bytes <= maxBytes || part.type === 'finish' || part.type === 'error') this.#publish(json);
  };

  /** Publishes the last parts. Resolves when all are on disk, or have failed. */
  async end(...parts: TurnPart[]): Promise<void> {
    for (const part of parts) this.emit(part);
    this.#publish(endOfTurn);
    await this.#published;
  }

  #publish(json: string): void {
    const number = ++this.#number;
    this.#published = this.#published
      .then(() => this.#stream.publish(this.#turnId, number, json))
      .catch((err: unknown) => logger.warn({ err, turn_id: this.#turnId }, 'a part of a turn was not published'));
  }
}
