import { messageFrameBytes, partitionOf } from '../views/view.ts';
import type { Published, ViewsPublisher } from './views-publisher.ts';

/** overloaded: too many wait already. */
export type Outcome = Published | 'overloaded';

/** Who waits to hear what became of his views. */
export interface Waiting {
  settle(outcome: Outcome): void;
}

const messageBytesMost = 512 * 1024;
const messagesAtOnce = 4;
/** What a waiting request takes besides its views. */
const requestBytes = 4096;
const waitingBytesMost = 32 * 1024 * 1024;

interface Batch {
  readonly views: string[];
  readonly waiting: Waiting[];
  readonly openedAt: number;
  /** Of the message. */
  bytes: number;
  /** Of memory. */
  cost: number;
}

interface Lane {
  readonly partition: number;
  readonly batches: Batch[];
  busy: boolean;
}

interface Options {
  readonly publisher: ViewsPublisher;
  readonly partitions: number;
  /** What may wait, in bytes of memory. */
  readonly waitingMost?: number;
}

/**
 * Group commit: views that arrive in one turn of the event loop for one partition are one message, and so are those that arrive while the message
 * before is on its way, of which a partition has one at a time. An idle server makes a view wait one turn.
 */
export class Commits {
  readonly #publisher: ViewsPublisher;
  readonly #waitingMost: number;
  readonly #lanes: readonly Lane[];
  /** Lanes with something to send and nothing on its way, the longest waiting first. */
  readonly #due = new Set<Lane>();
  #onTheirWay = 0;
  #waitingBytes = 0;
  #scheduled = false;

  constructor({ publisher, partitions, waitingMost = waitingBytesMost }: Options) {
    this.#publisher = publisher;
    this.#waitingMost = waitingMost;
    this.#lanes = Array.from({ length: partitions }, (_, partition) => ({ partition, batches: [], busy: false }));
  }

  /** Adds the views of one request, commas between them, all of one site: all of them are stored, or it is not claimed of any. */
  add(site: string, views: string, waiting: Waiting): void {
    const lane = this.#lanes[partitionOf(site, this.#lanes.length)] as Lane;
    const bytes = Buffer.byteLength(views) + 1;
    const cost = bytes + requestBytes;
    if (this.#publisher.isAway) return void waiting.settle('unavailable');
    if (this.#waitingBytes + cost > this.#waitingMost) return void waiting.settle('overloaded');
    this.#waitingBytes += cost;
    const batch = openBatch(lane, bytes);
    batch.views.push(views);
    batch.waiting.push(waiting);
    batch.bytes += bytes;
    batch.cost += cost;
    if (lane.busy) return;
    this.#due.add(lane);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#sendDue);
  }

  readonly #sendDue = (): void => {
    this.#scheduled = false;
    for (const lane of this.#due) {
      if (this.#onTheirWay >= messagesAtOnce) return;
      this.#due.delete(lane);
      void this.#send(lane);
    }
  };

  async #send(lane: Lane): Promise<void> {
    const batch = lane.batches.shift() as Batch;
    lane.busy = true;
    this.#onTheirWay += 1;
    const outcome = await this.#publisher.publish(lane.partition, batch.views, batch.openedAt);
    lane.busy = false;
    this.#onTheirWay -= 1;
    this.#waitingBytes -= batch.cost;
    if (lane.batches.length > 0) this.#due.add(lane);
    this.#sendDue();
    for (const waiting of batch.waiting) waiting.settle(outcome);
  }
}

/** The message that is filled at present, or a new one where it has no room. */
function openBatch({ batches }: Lane, bytes: number): Batch {
  const last = batches.at(-1);
  if (last !== undefined && last.bytes + bytes <= messageBytesMost) return last;
  const batch: Batch = { views: [], waiting: [], openedAt: performance.now(), bytes: messageFrameBytes, cost: 0 };
  batches.push(batch);
  return batch;
}
