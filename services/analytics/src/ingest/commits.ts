import { messageFrameBytes } from '../views/view.ts';
import type { Published, ViewsPublisher } from './views-publisher.ts';

/** overloaded: too many wait already. */
export type Outcome = Published | 'overloaded';

/** Who waits to hear what became of his views. */
export interface Waiting {
  settle(outcome: Outcome): void;
}

const messageBytesMost = 512 * 1024;
/** What a waiting request takes besides its views. */
const requestBytes = 4096;
const waitingBytesMost = 32 * 1024 * 1024;

interface Batch {
  /** Of each request. */
  readonly views: string[];
  readonly waiting: Waiting[];
  readonly openedAt: number;
  /** Of the message. */
  bytes: number;
  /** Of memory. */
  cost: number;
}

interface Options {
  readonly publisher: ViewsPublisher;
  /** What may wait, in bytes of memory. */
  readonly waitingMost?: number;
}

/**
 * Group commit: views that arrive in one turn of the event loop are one message, and so are those that arrive while the message before is on its
 * way, of which there is one at a time: more of them would be smaller ones, and NATS writes one after another. An idle server makes a view wait one turn.
 */
export class Commits {
  readonly #publisher: ViewsPublisher;
  readonly #waitingMost: number;
  /** What is not on its way yet, the longest waiting first. */
  readonly #batches: Batch[] = [];
  #waitingBytes = 0;
  /** A message is on its way, or will be at the end of this turn. */
  #busy = false;

  constructor({ publisher, waitingMost = waitingBytesMost }: Options) {
    this.#publisher = publisher;
    this.#waitingMost = waitingMost;
  }

  /** Adds the views of one request, commas between them, all of one site: all of them are stored, or it is not claimed of any. */
  add(views: string, waiting: Waiting): void {
    const bytes = Buffer.byteLength(views) + 1;
    const cost = bytes + requestBytes;
    if (this.#publisher.isAway) return void waiting.settle('unavailable');
    if (this.#waitingBytes + cost > this.#waitingMost) return void waiting.settle('overloaded');
    this.#waitingBytes += cost;
    const batch = this.#openBatch(bytes);
    batch.views.push(views);
    batch.waiting.push(waiting);
    batch.bytes += bytes;
    batch.cost += cost;
    if (this.#busy) return;
    this.#busy = true;
    setImmediate(this.#sendNext);
  }

  readonly #sendNext = async (): Promise<void> => {
    const batch = this.#batches.shift();
    this.#busy = batch !== undefined;
    if (batch === undefined) return;
    const outcome = await this.#publisher.publish(batch.views, batch.openedAt);
    this.#waitingBytes -= batch.cost;
    void this.#sendNext();
    for (const waiting of batch.waiting) waiting.settle(outcome);
  };

  /** The message that is filled at present, or a new one where it has no room. */
  #openBatch(bytes: number): Batch {
    const last = this.#batches.at(-1);
    if (last !== undefined && last.bytes + bytes <= messageBytesMost) return last;
    const batch: Batch = { views: [], waiting: [], openedAt: performance.now(), bytes: messageFrameBytes, cost: 0 };
    this.#batches.push(batch);
    return batch;
  }
}
