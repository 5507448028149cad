/** Runs the work of one key one after another; the work of other keys runs meanwhile. */
export class KeyedMutex {
  readonly #latest = new Map<string, Promise<void>>();

  /** Runs `work` after all earlier work for the key has ended. `isAwaited` is true while later work for it waits. */
  async run<R>(key: string, work: (isAwaited: () => boolean) => Promise<R>): Promise<R> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const before = this.#latest.get(key);
    this.#latest.set(key, ended);
    try {
      await before;
      return await work(() => this.#latest.get(key) !== ended);
    } finally {
      if (this.#latest.get(key) === ended) this.#latest.delete(key);
      end();
    }
  }
}
