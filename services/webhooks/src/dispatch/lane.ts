/** The right to make one attempt at an endpoint. */
export interface Slot {
  readonly lane: Lane;
  /** On the monotonic clock, in milliseconds. */
  readonly takenAt: number;
}

/** An attempt that is to be made. */
export interface Job {
  /** Makes the attempt; the slot is given back by `Lanes.release`. */
  start(slot: Slot): void;
}

/** The first attempt for an event, which occupies memory and the stream. */
export interface FirstJob extends Job {
  /** On the monotonic clock, in milliseconds. */
  readonly cameAt: number;
  readonly isUnderWay: boolean;
  /** It takes too long, waiting or under way: what is left is done from the store. */
  putOff(): void;
}

const latencyWeight = 0.2;
/** Below this it is as much our own turns that take long as the endpoint: nothing is gained by leaving its events to the store. */
const slowMs = 100;
/** What is claimed waits no longer than about this for its slot. */
const claimAheadMs = 1_000;
const claimMost = 256;

/** One endpoint's attempts in this process: those under way and those that wait for a slot. */
export class Lane {
  readonly endpointId: string;
  readonly org_id: string;
  readonly waiting = new Set<Job>();
  /** Oldest first. */
  readonly taken = new Set<Slot>();
  /** There may be due deliveries in the store. */
  hasBacklog = false;
  /** How many of those that wait are claimed deliveries. */
  claimed = 0;
  readonly #slotsMost: number;
  #slots: number;
  #latencyMs = 0;

  constructor(endpointId: string, org_id: string, slotsMost: number) {
    this.endpointId = endpointId;
    this.org_id = org_id;
    this.#slotsMost = slotsMost;
    this.#slots = slotsMost;
  }

  get isIdle(): boolean {
    return this.taken.size === 0 && this.waiting.size === 0 && !this.hasBacklog;
  }

  get isOpen(): boolean {
    return this.taken.size < this.#slots;
  }

  /** Whether it answers slowly, as far as is known: by the answers that came, or the one that does not. */
  isSlow(now: number): boolean {
    return this.#latencyAt(now) >= slowMs;
  }

  /** How many may wait so that the last one has its turn in time (Little's law). An endpoint that hangs soon lets nobody wait. */
  queueMost(patienceMs: number, now: number): number {
    return (this.#slots * patienceMs) / this.#latencyAt(now);
  }

  /** How many more due deliveries it can begin soon; none until half of those claimed are begun. */
  claimRoom(now: number): number {
    const soon = Math.min(Math.floor(this.queueMost(claimAheadMs, now)), claimMost);
    const most = Math.max(soon, this.#slots - this.taken.size);
    return this.claimed > most / 2 ? 0 : most - this.claimed;
  }

  /** An endpoint that times out gets fewer and fewer slots, down to one, and with each answer one more: many that hang do not use up all slots. */
  learn(latencyMs: number, timedOut: boolean): void {
    this.#latencyMs += latencyWeight * (latencyMs - this.#latencyMs);
    this.#slots = timedOut ? Math.max(1, Math.floor(this.#slots / 2)) : Math.min(this.#slotsMost, this.#slots + 1);
  }

  #latencyAt(now: number): number {
    const [oldest] = this.taken;
    return Math.max(this.#latencyMs, oldest === undefined ? 0 : now - oldest.takenAt);
  }
}
