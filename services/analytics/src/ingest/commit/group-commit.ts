import { messageFrameBytes } from '../../views/view.ts';
import type { PublishResult, ViewsPublisher } from './views-publisher.ts';

/** `overloaded`: too many views are pending. */
export type CommitOutcome = PublishResult | 'overloaded';

/** A request that waits for the outcome of its views. */
export interface PendingRequest {
  settle(outcome: CommitOutcome): void;
}

const maxMessageBytes = 512 * 1024;
/** Memory that a pending request takes beside its views. */
const requestOverheadBytes = 4096;
const defaultMaxPendingBytes = 32 * 1024 * 1024;

interface Batch {
  /** One entry per request. */
  readonly views: string[];
  readonly requests: PendingRequest[];
  readonly openedAt: number;
  /** Size of the message. */
  bytes: number;
  /** Memory held by the batch. */
  memoryBytes: number;
}

interface Options {
  readonly publisher: ViewsPublisher;
  /** Limit of the memory held by pending requests, in bytes. */
  readonly maxPendingBytes?: number;
}

/**
 * Group commit: all views of one event-loop tick go into one message. Only one message is in flight, and views that
 * arrive meanwhile go into the next. NATS writes the messages of a stream one after another, so more messages in
 * flight would only be smaller. On an idle server a view waits for one tick.
 */
export class GroupCommit {
  readonly #publisher: ViewsPublisher;
  readonly #maxPendingBytes: number;
  /** Batches that are not yet sent, oldest first. */
  readonly #batches: Batch[] = [];
  #pendingBytes = 0;
  /** True while a message is in flight or scheduled for the end of this tick. */
  #isSending = false;

  constructor({ publisher, maxPendingBytes = defaultMaxPendingBytes }: Options) {
    this.#publisher = publisher;
    this.#maxPendingBytes = maxPendingBytes;
  }

  /**
   * Adds the views of one request, encoded and separated by commas, all of one site. The outcome applies to all of
   * them: `stored` means that each is stored.
   */
  add(views: string, request: PendingRequest): void {
    const bytes = Buffer.byteLength(views) + 1;
    const memoryBytes = bytes + requestOverheadBytes;
    if (this.#publisher.isDisconnected) return void request.settle('unavailable');
    if (this.#pendingBytes + memoryBytes > this.#maxPendingBytes) return void request.settle('overloaded');
    this.#pendingBytes += memoryBytes;
    const batch = this.#openBatch(bytes);
    batch.views.push(views);
    batch.requests.push(request);
    batch.bytes += bytes;
    batch.memoryBytes += memoryBytes;
    if (this.#isSending) return;
    this.#isSending = true;
    setImmediate(this.#sendNext);
  }

  readonly #sendNext = async (): Promise<void> => {
    const batch = this.#batches.shift();
    this.#isSending = batch !== undefined;
    if (batch === undefined) return;
    const outcome = await this.#publisher.publish(batch.views, batch.openedAt);
    this.#pendingBytes -= batch.memoryBytes;
    void this.#sendNext();
    for (const request of batch.requests) request.settle(outcome);
  };

  /** Returns the batch being filled, or a new one if the views do not fit. */
  #openBatch(bytes: number): Batch {
    const last = this.#batches.at(-1);
    if (last !== undefined && last.bytes + bytes <= maxMessageBytes) return last;
    const batch: Batch = { views: [], requests: [], openedAt: performance.now(), bytes: messageFrameBytes, memoryBytes: 0 };
    this.#batches.push(batch);
    return batch;
  }
}
