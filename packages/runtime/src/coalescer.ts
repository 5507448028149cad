import { setTimeout as pause } from 'node:timers/promises';

interface UnderWay<T> {
  readonly running: Promise<T>;
  next?: Promise<T>;
}

/**
 * Of equal work one is under way at a time. Who asks meanwhile shares the next one, so that nobody gets a result from before the question,
 * and any number of askers cost what two do.
 */
export class SharedWork<T> {
  readonly #underWay = new Map<string, UnderWay<T>>();
  readonly #rest: number;

  /** `rest`: how many times its duration passes between one that was waited for and the next. */
  constructor(rest = 0) {
    this.#rest = rest;
  }

  ask(key: string, work: () => Promise<T>): Promise<T> {
    const current = this.#underWay.get(key);
    if (current === undefined) return this.#start(key, work);
    current.next ??= this.#after(current.running).then(() => this.#start(key, work));
    return current.next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const current: UnderWay<T> = { running: work() };
    this.#underWay.set(key, current);
    const ended = () => {
      if (current.next === undefined) this.#underWay.delete(key);
    };
    current.running.then(ended, ended);
    return current.running;
  }

  async #after(running: Promise<T>): Promise<void> {
    const askedAt = performance.now();
    await running.catch(() => undefined);
    if (this.#rest > 0) await pause(this.#rest * (performance.now() - askedAt));
  }
}
