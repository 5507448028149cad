import { setTimeout as pause } from 'node:timers/promises';

interface InFlight<T> {
  readonly running: Promise<T>;
  next?: Promise<T>;
}

/**
 * Coalesces equal requests: one runs per key at a time. Callers that arrive during a run share the next one. So no
 * result is older than its call, and any number of callers cost as much as two.
 */
export class Coalescer<T> {
  readonly #inFlight = new Map<string, InFlight<T>>();
  readonly #cooldownFactor: number;

  /** `cooldownFactor`: the pause between two runs, as a multiple of the duration of the first. */
  constructor(cooldownFactor = 0) {
    this.#cooldownFactor = cooldownFactor;
  }

  ask(key: string, work: () => Promise<T>): Promise<T> {
    const current = this.#inFlight.get(key);
    if (current === undefined) return this.#start(key, work);
    current.next ??= this.#after(current.running).then(() => this.#start(key, work));
    return current.next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const current: InFlight<T> = { running: work() };
    this.#inFlight.set(key, current);
    const ended = () => {
      if (current.next === undefined) this.#inFlight.delete(key);
    };
    current.running.then(ended, ended);
    return current.running;
  }

  async #after(running: Promise<T>): Promise<void> {
    const askedAt = performance.now();
    await running.catch(() => undefined);
    if (this.#cooldownFactor > 0) await pause(this.#cooldownFactor * (performance.now() - askedAt));
  }
}
