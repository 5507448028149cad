import { batcher } from '@webkiln/runtime';
import { messageFrameBytes } from '../views/view.ts';
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

interface PendingViews {
  readonly views: string;
  readonly request: PendingRequest;
  readonly addedAt: number;
  /** Size in the message. */
  readonly bytes: number;
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
  readonly #addToMessage = batcher<PendingViews>((pending) => this.#commit(pending), {
    maxInFlight: 1,
    maxBatchSize: maxMessageBytes - messageFrameBytes,
    sizeOf: ({ bytes }) => bytes,
  });
  #pendingBytes = 0;

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
    this.#addToMessage({ views, request, addedAt: performance.now(), bytes });
  }

  async #commit(pending: readonly PendingViews[]): Promise<() => void> {
    const [first] = pending as [PendingViews];
    const outcome = await this.#publisher.publish(pending.map(viewsOf), first.addedAt);
    return () => {
      for (const { request, bytes } of pending) {
        this.#pendingBytes -= bytes + requestOverheadBytes;
        request.settle(outcome);
      }
    };
  }
}

const viewsOf = ({ views }: PendingViews) => views;
