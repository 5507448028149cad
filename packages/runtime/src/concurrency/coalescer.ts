interface InFlight<T> {
  readonly running: Promise<T>;
  next?: Promise<T>;
  nextWork?: () => Promise<T>;
}

/**
 * Coalesces equal requests: one runs per key at a time. Callers that arrive during a run share the next one. So no
 * result is older than its call, and any number of callers cost as much as two.
 */
export class Coalescer<T> {
  readonly #inFlight = new Map<string, InFlight<T>>();

  /**
   * `work` does the same for equal keys, within its own caller's deadline. Callers that share a run get the work of the
   * last one, which usually has the latest deadline.
   */
  ask(key: string, work: () => Promise<T>): Promise<T> {
    const current = this.#inFlight.get(key);
    if (current === undefined) return this.#start(key, work);
    current.nextWork = work;
    current.next ??= ended(current.running).then(() => this.#start(key, current.nextWork ?? work));
    return current.next;
  }

  #start(key: string, work: () => Promise<T>): Promise<T> {
    const current: InFlight<T> = { running: work() };
    this.#inFlight.set(key, current);
    void ended(current.running).then(() => {
      if (current.next === undefined) this.#inFlight.delete(key);
    });
    return current.running;
  }
}

const ended = (running: Promise<unknown>): Promise<unknown> => running.catch(() => undefined);
