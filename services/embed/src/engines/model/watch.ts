/** Aborts a turn of a model when it is stopped, when the model is silent for too long, or when its time is over. */
export class Watch {
  readonly #abort = new AbortController();
  readonly #stallMs: number;
  readonly #total: NodeJS.Timeout;
  #stall: NodeJS.Timeout | undefined;

  /** `stallMs` and `totalMs`: the longest silence, and the longest turn. */
  constructor({ stallMs, totalMs, stopped }: { readonly stallMs: number; readonly totalMs: number; readonly stopped: AbortSignal }) {
    this.#stallMs = stallMs;
    this.#total = setTimeout(() => this.end(new WatchError('too-long')), totalMs);
    const stop = () => this.end(new WatchError('stopped'));
    if (stopped.aborted) stop();
    stopped.addEventListener('abort', stop, { once: true, signal: this.#abort.signal });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The model sent something. */
  heard(): void {
    clearTimeout(this.#stall);
    if (!this.signal.aborted) this.#stall = setTimeout(() => this.end(new WatchError('silent')), this.#stallMs);
  }

  /** Aborts with a reason, and stops watching; without one it only stops watching. */
  end(reason?: Error): void {
    clearTimeout(this.#stall);
    clearTimeout(this.#total);
    if (reason !== undefined) this.#abort.abort(reason);
  }
}

/** Why a watch ended a turn. */
export class WatchError extends Error {
  override readonly name = 'WatchError';
  readonly why: 'stopped' | 'silent' | 'too-long' | 'endless';

  constructor(why: WatchError['why']) {
    super(`the turn ended: ${why}`);
    this.why = why;
  }
}
