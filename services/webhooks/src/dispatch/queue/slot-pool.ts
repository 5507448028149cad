import type { EndpointQueue } from './endpoint-queue.ts';

/** This process's slots for attempts, and the queues that wait for one, in the order of their turns. */
export class SlotPool {
  readonly #size: number;
  readonly #waiting = new Set<EndpointQueue>();
  #taken = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get isExhausted(): boolean {
    return this.#taken >= this.#size;
  }

  take(): void {
    this.#taken++;
  }

  wait(queue: EndpointQueue): void {
    this.#waiting.add(queue);
  }

  /** Frees a slot; returns the queue whose turn it is, which waits no longer. */
  release(): EndpointQueue | undefined {
    this.#taken--;
    const [next] = this.#waiting;
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }
}
