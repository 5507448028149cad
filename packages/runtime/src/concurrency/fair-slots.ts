export interface FairSlotsOptions {
  /** How many slots there are; may be infinite. */
  readonly slots: number;
  readonly maxPerKey: number;
  readonly maxWaitingPerKey: number;
  /** Of each rank. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /** Waiters of a lower rank get their turn first; default 1, so that all have rank 0. */
  readonly ranks?: number;
  /** The error of work that gets no slot in time; `isOwnFault` if its key has all that one key may have. */
  readonly refusal: (isOwnFault: boolean) => Error;
}

/** Work that waits for a slot. Exactly one of the two is called. */
export interface Waiter {
  start(): void;
  refuse(error: Error): void;
}

interface Rank {
  /** Waiters by key, in the order of their turns: a key whose waiter starts goes to the end. */
  readonly queues: Map<string, Map<Waiter, NodeJS.Timeout>>;
  waiting: number;
}

/**
 * Limits work in flight, fairly between keys: client networks, credentials, accounts or organizations. Who waits gets
 * its turn by rank and key, not by arrival. A key may hold at most `maxPerKey` slots, and never more than are free: so
 * many busy keys together still leave a slot for the next one (dynamic thresholds, Choudhury and Hahne 1998). Places of
 * waiters are shared in the same way. Keys without work take no memory.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #held = new Map<string, number>();
  readonly #ranks: readonly Rank[];
  #free: number;
  #inFlight = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
    this.#free = options.slots;
    this.#ranks = Array.from({ length: options.ranks ?? 1 }, () => ({ queues: new Map(), waiting: 0 }));
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#ranks.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** Keys that this holds in memory. */
  get keys(): number {
    return this.#held.size + this.#ranks.reduce((sum, { queues }) => sum + queues.size, 0);
  }

  /** True if the caller holds a slot now; otherwise `waiter` is called, at once if nobody more may wait. */
  acquire(key: string, waiter: Waiter, rank = 0): boolean {
    const own = this.#ranks[rank];
    if (own === undefined) throw new RangeError(`there is no rank ${rank}`);
    const queue = own.queues.get(key);
    if (queue === undefined && this.#hasRoom(key)) {
      this.#take(key);
      return true;
    }
    const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#options;
    if ((queue?.size ?? 0) >= Math.min(maxWaitingPerKey, maxWaiting - own.waiting)) this.#refuse(key, waiter);
    else {
      const timer = setTimeout(() => this.cancel(key, waiter) && this.#refuse(key, waiter), maxWaitMs);
      if (queue === undefined) own.queues.set(key, new Map([[waiter, timer]]));
      else queue.set(waiter, timer);
      own.waiting++;
    }
    return false;
  }

  /** Gives up waiting. False if the waiter was called already. */
  cancel(key: string, waiter: Waiter): boolean {
    for (const rank of this.#ranks) {
      const queue = rank.queues.get(key);
      const timer = queue?.get(waiter);
      if (queue === undefined || timer === undefined) continue;
      clearTimeout(timer);
      queue.delete(waiter);
      if (queue.size === 0) rank.queues.delete(key);
      rank.waiting--;
      return true;
    }
    return false;
  }

  /** Refuses all that wait, as if they had waited too long. */
  refuseWaiting(): void {
    for (const { queues } of this.#ranks) {
      for (const [key, queue] of [...queues])
        for (const waiter of [...queue.keys()]) if (this.cancel(key, waiter)) this.#refuse(key, waiter);
    }
  }

  /** Gives a slot back. */
  release(key: string): void {
    const held = (this.#held.get(key) ?? 0) - 1;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
    this.#free++;
    this.#inFlight--;
    for (const { queues } of this.#ranks) if (queues.size > 0) this.#admit(queues);
  }

  /** Runs `work` with a slot. Throws `refusal()` if it gets none in time. */
  async run<T>(key: string, work: () => Promise<T>, rank = 0): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (!this.acquire(key, { start: resolve, refuse: reject }, rank)) await promise;
    try {
      return await work();
    } finally {
      this.release(key);
    }
  }

  #hasRoom(key: string): boolean {
    return (this.#held.get(key) ?? 0) < Math.min(this.#options.maxPerKey, this.#free);
  }

  #take(key: string): void {
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.#free--;
    this.#inFlight++;
  }

  /** One slot for each key that has room, in turn, until none has. */
  #admit(queues: Rank['queues']): void {
    for (const [key, queue] of queues) {
      if (this.#free === 0) return;
      if (!this.#hasRoom(key)) continue;
      const [waiter] = queue.keys();
      if (waiter === undefined) continue;
      this.cancel(key, waiter);
      this.#take(key);
      // A key that still waits is visited again after all others.
      if (queues.delete(key)) queues.set(key, queue);
      waiter.start();
    }
  }

  #refuse(key: string, waiter: Waiter): void {
    const { maxPerKey, slots, refusal } = this.#options;
    waiter.refuse(refusal(maxPerKey < slots && (this.#held.get(key) ?? 0) >= maxPerKey));
  }
}
