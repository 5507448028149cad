/** Node's timers take no longer time. */
const longestSleepMs = 2 ** 31 - 1;

/** When a loop polls next. Whoever knows of work that is due earlier brings the time forward; the loop waits for it. */
export class PollTimer {
  /** Epoch milliseconds. */
  #pollAt = 0;
  #wake: () => void = () => undefined;

  /** Polls no later than at this time. */
  readonly pollBy = (time: Date): void => {
    if (time.getTime() >= this.#pollAt) return;
    this.#pollAt = time.getTime();
    this.#wake();
  };

  /** Sets the next poll, unless `pollBy` brings it forward; epoch milliseconds, or infinite to wait for `pollBy`. */
  restart(pollAt: number): void {
    this.#pollAt = pollAt;
  }

  /** Resolves when it is time to poll, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake);
    while (Date.now() < this.#pollAt && !signal.aborted) await this.#sleep();
    signal.removeEventListener('abort', wake);
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(this.#pollAt - Date.now(), longestSleepMs));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
