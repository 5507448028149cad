import type { Attempt, HeldAttempt } from '../attempts/attempt.ts';
import type { EndpointQueue } from './endpoint-queue.ts';

/** A fast endpoint's attempt may wait this many times longer: deferring would slow this process further. */
const quickFactor = 5;
const overdueCheckMs = 50;

interface Held {
  readonly attempt: HeldAttempt;
  readonly queue: EndpointQueue;
}

/** First attempts, waiting or in flight, whose event is still held in memory and on the stream. */
export class HeldAttempts {
  readonly #maxHoldMs: number;
  readonly #isBlocked: (queue: EndpointQueue) => boolean;
  /** Oldest first. */
  readonly #held = new Map<Attempt, Held>();

  /** `isBlocked`: other endpoints have the slots that the queue's attempts wait for, so that it is no quick one. */
  constructor(maxHoldMs: number, isBlocked: (queue: EndpointQueue) => boolean) {
    this.#maxHoldMs = maxHoldMs;
    this.#isBlocked = isBlocked;
  }

  add(attempt: HeldAttempt, queue: EndpointQueue): void {
    this.#held.set(attempt, { attempt, queue });
  }

  delete(attempt: Attempt): void {
    this.#held.delete(attempt);
  }

  takeAll(): Held[] {
    const held = [...this.#held.values()];
    this.#held.clear();
    return held;
  }

  /** From now on removes attempts that have been held for too long, and passes them to `onOverdue`. */
  watch(onOverdue: (held: Held) => void): NodeJS.Timeout {
    return setInterval(() => this.#takeOverdue(performance.now()).forEach(onOverdue), overdueCheckMs);
  }

  #takeOverdue(now: number): Held[] {
    const overdue: Held[] = [];
    for (const { attempt, queue } of this.#held.values()) {
      const heldMs = now - attempt.receivedAt;
      if (heldMs < this.#maxHoldMs) break;
      const isSlow = queue.isInFlight(attempt) || queue.isSlow(now) || this.#isBlocked(queue);
      if (isSlow || heldMs >= this.#maxHoldMs * quickFactor) overdue.push({ attempt, queue });
    }
    for (const { attempt } of overdue) this.#held.delete(attempt);
    return overdue;
  }
}
