/** Work that waits for a slot. Exactly one of the two is called. */
export interface Waiter {
  start(): void;
  refuse(error: Error): void;
}

/** Who waits, by key, in the order of their turns: a key whose waiter starts goes to the end. */
export class WaitingTurns {
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

  /** The keys in turn. One that has its turn meanwhile and still waits comes again after all others. */
  keysInTurn(): Iterable<string> {
    return this.#queues.keys();
  }

  /** Removes and returns the first waiter of a key, whose next turn is after all others. */
  takeTurn(key: string): Waiter | undefined {
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
