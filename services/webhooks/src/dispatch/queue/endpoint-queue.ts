import type { Attempt } from '../attempts/attempt.ts';
import type { Sent } from '../attempts/sender.ts';

const latencyWeight = 0.2;
/**
 * Below this, our own event loop contributes as much as the endpoint: leaving its events to the store gains nothing.
 */
const slowMs = 100;
/** A claimed delivery waits about this long for a slot. */
const claimAheadMs = 1_000;
const maxClaim = 256;

/**
 * One endpoint's attempts in this process: those in flight, those waiting for a slot, and whether the store may hold
 * more.
 */
export class EndpointQueue {
  readonly endpointId: string;
  readonly org_id: string;
  readonly #waiting = new Set<Attempt>();
  /** When each began, on the monotonic clock; oldest first. */
  readonly #inFlight = new Map<Attempt, number>();
  readonly #maxSlots: number;
  #slots: number;
  #latencyMs = 0;
  #claimedWaiting = 0;
  #hasBacklog = false;
  #isClaiming = false;

  constructor(endpointId: string, org_id: string, maxSlots: number) {
    this.endpointId = endpointId;
    this.org_id = org_id;
    this.#maxSlots = maxSlots;
    this.#slots = maxSlots;
  }

  get isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#waiting.size === 0 && !this.#hasBacklog && !this.#isClaiming;
  }

  get canStart(): boolean {
    return this.#hasFreeSlot && this.#waiting.size > 0;
  }

  get #hasFreeSlot(): boolean {
    return this.#inFlight.size < this.#slots;
  }

  add(attempt: Attempt): void {
    this.#waiting.add(attempt);
    if (attempt.isClaimed) this.#claimedWaiting++;
  }

  /** Takes the attempt out if it is waiting. */
  withdraw(attempt: Attempt): void {
    if (this.#waiting.delete(attempt) && attempt.isClaimed) this.#claimedWaiting--;
  }

  isInFlight(attempt: Attempt): boolean {
    return this.#inFlight.has(attempt);
  }

  /** Gives a slot to the attempt that waits longest; undefined without a free slot or an attempt. */
  startNext(): Attempt | undefined {
    const [attempt] = this.#waiting;
    if (attempt === undefined || !this.#hasFreeSlot) return undefined;
    this.withdraw(attempt);
    this.#inFlight.set(attempt, performance.now());
    return attempt;
  }

  /**
   * Frees the slot. A timeout halves the slots, down to one; any other answer adds one: hanging endpoints cannot use up
   * all slots.
   */
  finish(attempt: Attempt, sent: Sent | undefined): void {
    this.#inFlight.delete(attempt);
    if (sent === undefined) return;
    this.#latencyMs += latencyWeight * (sent.attempt.latency_ms - this.#latencyMs);
    this.#slots = sent.timedOut ? Math.max(1, Math.floor(this.#slots / 2)) : Math.min(this.#maxSlots, this.#slots + 1);
  }

  isSlow(now: number): boolean {
    return this.#latencyAt(now) >= slowMs;
  }

  /** True where one more attempt at a slow endpoint would wait longer than `maxHoldMs`. */
  isFull(maxHoldMs: number, now: number): boolean {
    return !this.#hasFreeSlot && this.isSlow(now) && this.#waiting.size >= this.#maxLength(maxHoldMs, now);
  }

  /** The store may hold due deliveries of this endpoint. */
  markBacklog(): void {
    this.#hasBacklog = true;
  }

  canClaim(now: number): boolean {
    return this.#hasBacklog && !this.#isClaiming && this.#claimCapacity(now) > 0;
  }

  /** From here to `endClaim` no other claim is made. */
  beginClaim(): void {
    this.#isClaiming = true;
  }

  /**
   * Returns how many due deliveries can begin soon, 0 for none now; those that become due from here on are a new
   * backlog.
   */
  takeClaimCapacity(now: number): number {
    const capacity = this.#claimCapacity(now);
    if (capacity > 0) this.#hasBacklog = false;
    return capacity;
  }

  endClaim(attempts: readonly Attempt[]): void {
    this.#isClaiming = false;
    for (const attempt of attempts) this.add(attempt);
  }

  /** 0 until half of the claimed deliveries have begun. */
  #claimCapacity(now: number): number {
    const soon = Math.min(Math.floor(this.#maxLength(claimAheadMs, now)), maxClaim);
    const max = Math.max(soon, this.#slots - this.#inFlight.size);
    return this.#claimedWaiting > max / 2 ? 0 : max - this.#claimedWaiting;
  }

  /**
   * How many attempts may wait so that the last one begins within `maxHoldMs` (Little's law). For a hanging endpoint
   * this approaches 0.
   */
  #maxLength(maxHoldMs: number, now: number): number {
    return (this.#slots * maxHoldMs) / this.#latencyAt(now);
  }

  /** The moving average of answers, or the age of the oldest request without one. */
  #latencyAt(now: number): number {
    const [oldest] = this.#inFlight.values();
    return Math.max(this.#latencyMs, oldest === undefined ? 0 : now - oldest);
  }
}
