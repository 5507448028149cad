import { AppError } from '@webkiln/contract';
import { countRefusal, observeSlots } from './metrics.ts';

interface Options {
  /** Name of the bound in the metrics: "proxy sites". */
  readonly bound: string;
  /** How many slots there are; may be infinite. */
  readonly slots: number;
  readonly maxPerKey: number;
  readonly maxWaitingPerKey: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

/** Work that waits for a slot. Exactly one of the two is called. */
export interface Waiter {
  start(): void;
  /** `too_many_in_flight` if the key has all that one key may have, else `overloaded`. */
  refuse(error: AppError): void;
}

/**
 * Limits work in flight, fairly between keys: client networks or credentials. Who waits gets its turn by key, not by
 * arrival. A key may hold at most `maxPerKey` slots, and never more than are free: so many busy keys together still
 * leave a slot for the next one (dynamic thresholds, Choudhury and Hahne 1998). Keys without work take no memory.
 */
export class FairSlots {
  readonly #options: Options;
  readonly #held = new Map<string, number>();
  /** In the order of their turns: a key whose waiter starts goes to the end. */
  readonly #queues = new Map<string, Map<Waiter, NodeJS.Timeout>>();
  #free: number;
  #inFlight = 0;
  #waiting = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#free = options.slots;
    observeSlots(options.bound, this);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Keys that this holds in memory. */
  get keys(): number {
    return this.#held.size + this.#queues.size;
  }

  /** True if the caller holds a slot now; otherwise `waiter` is called, at once if nobody more may wait. */
  acquire(key: string, waiter: Waiter): boolean {
    const queue = this.#queues.get(key);
    if (queue === undefined && this.#hasRoom(key)) {
      this.#take(key);
      return true;
    }
    const { maxWaiting, maxWaitingPerKey, maxWaitMs } = this.#options;
    if (this.#waiting >= maxWaiting || (queue?.size ?? 0) >= maxWaitingPerKey) this.#refuse(key, waiter);
    else {
      const timer = setTimeout(() => this.cancel(key, waiter) && this.#refuse(key, waiter), maxWaitMs);
      if (queue === undefined) this.#queues.set(key, new Map([[waiter, timer]]));
      else queue.set(waiter, timer);
      this.#waiting++;
    }
    return false;
  }

  /** Gives up waiting. False if the waiter was called already. */
  cancel(key: string, waiter: Waiter): boolean {
    const queue = this.#queues.get(key);
    const timer = queue?.get(waiter);
    if (queue === undefined || timer === undefined) return false;
    clearTimeout(timer);
    queue.delete(waiter);
    if (queue.size === 0) this.#queues.delete(key);
    this.#waiting--;
    return true;
  }

  /** Gives a slot back. */
  release(key: string): void {
    const held = (this.#held.get(key) ?? 0) - 1;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
    this.#free++;
    this.#inFlight--;
    if (this.#queues.size > 0) this.#admit();
  }

  /** Runs `work` with a slot. Throws `too_many_in_flight` or `overloaded` if it gets none in time. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (!this.acquire(key, { start: resolve, refuse: reject })) await promise;
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
  #admit(): void {
    for (const [key, queue] of this.#queues) {
      if (this.#free === 0) return;
      if (!this.#hasRoom(key)) continue;
      const [waiter] = queue.keys();
      if (waiter === undefined) continue;
      this.cancel(key, waiter);
      this.#take(key);
      // A key that still waits is visited again after all others.
      if (this.#queues.delete(key)) this.#queues.set(key, queue);
      waiter.start();
    }
  }

  #refuse(key: string, waiter: Waiter): void {
    const { bound, maxPerKey, slots } = this.#options;
    const isOwnFault = maxPerKey < slots && (this.#held.get(key) ?? 0) >= maxPerKey;
    const code = isOwnFault ? 'too_many_in_flight' : 'overloaded';
    countRefusal(bound, code);
    waiter.refuse(new AppError(code));
  }
}
