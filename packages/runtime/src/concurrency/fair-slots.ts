import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

export interface FairSlotsOptions {
  /** How many slots there are; may be infinite. */
  readonly slots: number;
  readonly maxPerKey: number;
  readonly maxWaitingPerKey: number;
  /** The maximum of waiters of each rank. */
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  /** Waiters of a lower rank are served first; default 1, so that all have rank 0. */
  readonly ranks?: number;
  /** The error of work that gets no slot in time; `isOwnFault` if its key has all that one key may have. */
  readonly refusal: (isOwnFault: boolean) => Error;
}

/**
 * Limits work in flight, fairly between keys: client networks, credentials, accounts or organizations. Waiters are
 * served by rank and key, not by arrival. A key may hold at most `maxPerKey` slots, and never more than are free: so
 * many busy keys together still leave a slot for the next one (dynamic thresholds, Choudhury and Hahne 1998). Places of
 * waiters are shared in the same way. Keys without work take no memory.
 */
export class FairSlots {
  readonly #options: FairSlotsOptions;
  readonly #held = new Map<string, number>();
  readonly #ranks: readonly RoundRobinQueue[];
  #free: number;
  #inFlight = 0;

  constructor(options: FairSlotsOptions) {
    this.#options = options;
    this.#free = options.slots;
    this.#ranks = Array.from({ length: options.ranks ?? 1 }, () => new RoundRobinQueue());
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#ranks.reduce((sum, { waiters }) => sum + waiters, 0);
  }

  /** Keys that this holds in memory. */
  get keys(): number {
    return this.#held.size + this.#ranks.reduce((sum, { keys }) => sum + keys, 0);
  }

  /** True if the caller holds a slot now; otherwise `waiter` is called, at once if nobody more may wait. */
  acquire(key: string, waiter: Waiter, rank = 0): boolean {
    const own = this.#ranks[rank];
    if (own === undefined) throw new RangeError(`there is no rank ${rank}`);
    const waitingOfKey = own.waitersOf(key);
    if (waitingOfKey === 0 && this.#hasRoom(key)) {
      this.#take(key);
      return true;
    }
    const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#options;
    if (waitingOfKey >= Math.min(maxWaitingPerKey, maxWaiting - own.waiters)) this.#refuse(key, waiter);
    else own.add(key, waiter, maxWaitMs, () => this.#refuse(key, waiter));
    return false;
  }

  /** Gives up waiting. False if the waiter was called already. */
  cancel(key: string, waiter: Waiter): boolean {
    return this.#ranks.some((rank) => rank.remove(key, waiter));
  }

  /** Refuses all that wait, as if they had waited too long. */
  refuseWaiting(): void {
    for (const rank of this.#ranks) for (const [key, waiter] of rank.all()) if (rank.remove(key, waiter)) this.#refuse(key, waiter);
  }

  /** Gives a slot back. */
  release(key: string): void {
    const held = (this.#held.get(key) ?? 0) - 1;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
    this.#free++;
    this.#inFlight--;
    for (const rank of this.#ranks) this.#admit(rank);
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

  /** Gives one slot to each key that has room, round-robin, until none has. */
  #admit(rank: RoundRobinQueue): void {
    for (const key of rank.keysInOrder()) {
      if (this.#free === 0) return;
      const waiter = this.#hasRoom(key) ? rank.takeNext(key) : undefined;
      if (waiter === undefined) continue;
      this.#take(key);
      waiter.start();
    }
  }

  #refuse(key: string, waiter: Waiter): void {
    const { maxPerKey, slots, refusal } = this.#options;
    waiter.refuse(refusal(maxPerKey < slots && (this.#held.get(key) ?? 0) >= maxPerKey));
  }
}

/** Work that waits for a slot. Exactly one of the two is called. */
interface Waiter {
  start(): void;
  refuse(error: Error): void;
}

/** Waiters by key, served round-robin. */
class RoundRobinQueue {
  readonly #queues = new Map<string, Map<Waiter, NodeJS.Timeout>>();
  #waiters = 0;

  get waiters(): number {
    return this.#waiters;
  }

  get keys(): number {
    return this.#queues.size;
  }

  waitersOf(key: string): number {
    return this.#queues.get(key)?.size ?? 0;
  }

  /** Adds a waiter behind those of its key. After `maxWaitMs` it is removed, and `onTooLate` is called. */
  add(key: string, waiter: Waiter, maxWaitMs: number, onTooLate: () => void): void {
    const timer = setTimeout(() => this.remove(key, waiter) && onTooLate(), maxWaitMs);
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, new Map([[waiter, timer]]));
    else queue.set(waiter, timer);
    this.#waiters++;
  }

  /** False if it does not wait. */
  remove(key: string, waiter: Waiter): boolean {
    const queue = this.#queues.get(key);
    const timer = queue?.get(waiter);
    if (queue === undefined || timer === undefined) return false;
    clearTimeout(timer);
    queue.delete(waiter);
    if (queue.size === 0) this.#queues.delete(key);
    this.#waiters--;
    return true;
  }

  /** The keys, the next one first. A key that is served meanwhile and still waits comes again after all others. */
  keysInOrder(): Iterable<string> {
    return this.#queues.keys();
  }

  /** Removes and returns the first waiter of a key, which is then behind all other keys. */
  takeNext(key: string): Waiter | undefined {
    const queue = this.#queues.get(key);
    const [waiter] = queue?.keys() ?? [];
    if (queue === undefined || waiter === undefined) return undefined;
    this.remove(key, waiter);
    if (this.#queues.delete(key)) this.#queues.set(key, queue);
    return waiter;
  }

  all(): (readonly [key: string, waiter: Waiter])[] {
    return [...this.#queues].flatMap(([key, queue]) => [...queue.keys()].map((waiter) => [key, waiter] as const));
  }
}

const maxKeys = 10_000;

interface PaceOptions {
  /** Callers that would wait longer are refused, which bounds how many wait. */
  readonly maxWaitMs: number;
  readonly refusal: () => Error;
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** How often the work of a key may start. */
interface Rate {
  readonly perSecond: number;
  /** The starts that are allowed at once. */
  readonly burst: number;
}

/**
 * Spreads work of each key (an organization) over time, so that what one asks for in a moment does not take all
 * processors from others (GCRA, ITU-T I.371). Work costs the most after its response: events, webhooks, mails.
 */
export class Pace {
  /** The time at which the last work of a key would have started without a burst, in milliseconds. */
  readonly #lastStarts = new LRUCache<string, number>({ max: maxKeys });
  readonly #options: Required<PaceOptions>;

  constructor(options: PaceOptions) {
    this.#options = { now: () => performance.now(), sleep: (ms) => pause(ms), ...options };
  }

  /** Waits until the work may start, in the order of calls. Throws `refusal()`, at once, if that is too late. */
  async wait(key: string, { perSecond, burst }: Rate): Promise<void> {
    const { maxWaitMs, refusal, now, sleep } = this.#options;
    const intervalMs = 1000 / perSecond;
    const at = now();
    const start = Math.max(at, (this.#lastStarts.get(key) ?? 0) + intervalMs);
    const waitMs = start - at - (burst - 1) * intervalMs;
    if (waitMs > maxWaitMs) throw refusal();
    this.#lastStarts.set(key, start);
    if (waitMs > 0) await sleep(waitMs);
  }
}
