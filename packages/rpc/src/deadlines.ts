const sweepIntervalMs = 20;

/** Something with a deadline. */
export interface Expiring {
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
  expire(): void;
}

const pending = new Set<Expiring>();
let sweeping: NodeJS.Timeout | undefined;

/**
 * Calls `expire` within 20 ms of the deadline. One shared timer checks all deadlines: a timer per call costs more than
 * the call.
 */
export function watchDeadline(item: Expiring): void {
  pending.add(item);
  sweeping ??= setInterval(sweep, sweepIntervalMs).unref();
}

export function forgetDeadline(item: Expiring): void {
  pending.delete(item);
}

function sweep(): void {
  const now = Date.now();
  for (const item of pending) {
    if (item.deadlineAt > now) continue;
    pending.delete(item);
    item.expire();
  }
  if (pending.size > 0) return;
  clearInterval(sweeping);
  sweeping = undefined;
}

/** Cancels an incoming call at its deadline, or when the caller cancels it or disconnects. */
export class Cancellation implements Expiring {
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
  #isCancelled = false;
  #controller: AbortController | undefined;
  #hooks: (() => void)[] | undefined;

  constructor(deadlineAt: number) {
    this.deadlineAt = deadlineAt;
    watchDeadline(this);
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Created on first use, because most handlers never read it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  onCancel(hook: () => void): void {
    this.#hooks ??= [];
    if (this.#isCancelled) hook();
    else this.#hooks.push(hook);
  }

  /** Stops watching the deadline: the use case has ended. */
  dispose(): void {
    forgetDeadline(this);
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    forgetDeadline(this);
    this.#controller?.abort();
    for (const hook of this.#hooks ?? []) hook();
  }

  expire(): void {
    this.cancel();
  }
}
