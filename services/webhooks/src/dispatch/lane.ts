/** The right to make one attempt at an endpoint. */
export interface Slot {
  readonly lane: Lane;
  /** On the monotonic clock, in milliseconds. */
  readonly takenAt: number;
}

/** A first attempt that an event of the stream waits for. */
export interface Job {
  /** On the monotonic clock, in milliseconds. */
  readonly cameAt: number;
  /** Makes the attempt; the slot is given back by `Lanes.release`. */
  start(slot: Slot): void;
  /** It takes too long, waiting or under way: what is left is done from the store. */
  putOff(): void;
}

const latencyWeight = 0.2;
/** Below this it is as much our own turns that are long as the endpoint that is slow. */
const slowMs = 100;

/** One endpoint's attempts in this process: those under way and those that wait for a slot. */
export class Lane {
  readonly endpointId: string;
  readonly org_id: string;
  readonly waiting = new Set<Job>();
  /** Oldest first. */
  readonly taken = new Set<Slot>();
  /** There may be due deliveries in the store. */
  hasBacklog = false;
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

  /** How many slots are free. */
  get free(): number {
    return Math.max(this.#slots - this.taken.size, 0);
  }

  /** Whether an event from the stream may have a slot: while older ones are due in the store, a quarter is theirs. */
  get isOpen(): boolean {
    return this.taken.size < (this.hasBacklog ? Math.floor(this.#slots * 0.75) : this.#slots);
  }

  /** How many may wait so that the last one has its turn in time (Little's law). An endpoint that hangs soon lets nobody wait. */
  queueMost(patienceMs: number, now: number): number {
    const [oldest] = this.taken;
    const latencyMs = Math.max(this.#latencyMs, oldest === undefined ? 0 : now - oldest.takenAt);
    return latencyMs < slowMs ? Number.POSITIVE_INFINITY : (this.#slots * patienceMs) / latencyMs;
  }

  /** An endpoint that times out gets fewer and fewer slots, down to one, and with each answer one more: many that hang do not use up all slots. */
  learn(latencyMs: number, timedOut: boolean): void {
    this.#latencyMs += latencyWeight * (latencyMs - this.#latencyMs);
    this.#slots = timedOut ? Math.max(1, Math.floor(this.#slots / 2)) : Math.min(this.#slotsMost, this.#slots + 1);
  }
}
