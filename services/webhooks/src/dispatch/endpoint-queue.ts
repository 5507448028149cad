import type { QueuedAttempt } from './attempts.ts';
import type { Sent } from './sender.ts';

/**
 * Below this, our own event loop causes as much latency as the endpoint, and deferring to the store gains nothing.
 */
const slowMs = 100;
/** A claimed delivery waits about this long for a slot. */
const claimAheadMs = 1_000;
const maxClaim = 256;

/**
 * One endpoint's attempts in this process: in flight, or waiting for a slot. Also knows if the store may hold more.
 */
export class EndpointQueue {
  readonly endpointId: string;
  readonly org_id: string;
  readonly #waiting = new Set<QueuedAttempt>();
  /** When each began, on the monotonic clock; oldest first. */
  readonly #inFlight = new Map<QueuedAttempt, number>();
  readonly #capacity: EndpointCapacity;
  #url = '';
  #host = '';
  #claimedWaiting = 0;
  #hasBacklog = false;
  #isClaiming = false;

  constructor(endpointId: string, org_id: string, maxSlots: number) {
    this.endpointId = endpointId;
    this.org_id = org_id;
    this.#capacity = new EndpointCapacity(maxSlots);
  }

  /** Where the latest attempt goes: name and port. Empty until there was one. */
  get host(): string {
    return this.#host;
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.size === 0 && !this.#hasBacklog && !this.#isClaiming;
  }

  get canStart(): boolean {
    return this.#hasFreeSlot && this.#waiting.size > 0;
  }

  get #hasFreeSlot(): boolean {
    return this.#inFlight.size < this.#capacity.slots;
  }

  add(attempt: QueuedAttempt): void {
    this.#waiting.add(attempt);
    if (attempt.url !== this.#url) {
      this.#url = attempt.url;
      this.#host = URL.parse(attempt.url)?.host ?? '';
    }
    if (attempt.isClaimed) this.#claimedWaiting++;
  }

  /** Removes the attempt if it is waiting. */
  withdraw(attempt: QueuedAttempt): void {
    if (this.#waiting.delete(attempt) && attempt.isClaimed) this.#claimedWaiting--;
  }

  isInFlight(attempt: QueuedAttempt): boolean {
    return this.#inFlight.has(attempt);
  }

  /** Gives a slot to the attempt that has waited longest; undefined without a free slot or an attempt. */
  startNext(): QueuedAttempt | undefined {
    const [attempt] = this.#waiting;
    if (attempt === undefined || !this.#hasFreeSlot) return undefined;
    this.withdraw(attempt);
    this.#inFlight.set(attempt, performance.now());
    return attempt;
  }

  /** Frees the slot. `sent` is undefined if no request was made. */
  finish(attempt: QueuedAttempt, sent: Sent | undefined): void {
    this.#inFlight.delete(attempt);
    if (sent !== undefined) this.#capacity.record(sent);
  }

  isSlow(now: number): boolean {
    return this.#capacity.latencyMs(this.#oldestMs(now)) >= slowMs;
  }

  /** True if one more attempt at a slow endpoint would wait longer than `maxHoldMs`. */
  isFull(maxHoldMs: number, now: number): boolean {
    return !this.#hasFreeSlot && this.isSlow(now) && this.#waiting.size >= this.#capacity.maxWaiting(maxHoldMs, this.#oldestMs(now));
  }

  /** The store may hold due deliveries of this endpoint. */
  markBacklog(): void {
    this.#hasBacklog = true;
  }

  canClaim(now: number): boolean {
    return this.#hasBacklog && !this.#isClaiming && this.#claimCapacity(now) > 0;
  }

  /** Until `endClaim` no other claim begins. */
  beginClaim(): void {
    this.#isClaiming = true;
  }

  /**
   * Returns how many due deliveries can begin soon, at most `max`. Deliveries that become due after this call are a
   * new backlog.
   */
  takeClaimCapacity(now: number, max: number): number {
    const capacity = Math.min(this.#claimCapacity(now), max);
    if (capacity > 0) this.#hasBacklog = false;
    return capacity;
  }

  endClaim(attempts: readonly QueuedAttempt[]): void {
    this.#isClaiming = false;
    for (const attempt of attempts) this.add(attempt);
  }

  /** 0 until half of the claimed deliveries have begun. */
  #claimCapacity(now: number): number {
    const soon = Math.min(Math.floor(this.#capacity.maxWaiting(claimAheadMs, this.#oldestMs(now))), maxClaim);
    const max = Math.max(soon, this.#capacity.slots - this.#inFlight.size);
    return this.#claimedWaiting > max / 2 ? 0 : max - this.#claimedWaiting;
  }

  /** The age of the oldest request in flight; 0 without one. */
  #oldestMs(now: number): number {
    const [oldest = now] = this.#inFlight.values();
    return now - oldest;
  }
}

const latencyWeight = 0.2;

/** How many requests an endpoint may have in flight, and how long one takes, as its answers show. */
class EndpointCapacity {
  readonly #maxSlots: number;
  #slots: number;
  #latencyMs = 0;

  constructor(maxSlots: number) {
    this.#maxSlots = maxSlots;
    this.#slots = maxSlots;
  }

  get slots(): number {
    return this.#slots;
  }

  /**
   * A timeout halves the slots, down to one; any other answer adds one. So hanging endpoints cannot use up all slots
   * of the process.
   */
  record({ attempt, timedOut }: Sent): void {
    this.#latencyMs += latencyWeight * (attempt.latency_ms - this.#latencyMs);
    this.#slots = timedOut ? Math.max(1, Math.floor(this.#slots / 2)) : Math.min(this.#maxSlots, this.#slots + 1);
  }

  /** The moving average of the answers, or `oldestMs`, the age of the oldest request in flight, if that is more. */
  latencyMs(oldestMs: number): number {
    return Math.max(this.#latencyMs, oldestMs);
  }

  /**
   * How many attempts may wait so that the last one begins within `holdMs` (Little's law). For a hanging endpoint this
   * approaches 0.
   */
  maxWaiting(holdMs: number, oldestMs: number): number {
    return (this.#slots * holdMs) / this.latencyMs(oldestMs);
  }
}
