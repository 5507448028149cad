import { type Expiring, forgetDeadline, watchDeadline } from './deadlines.ts';

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
