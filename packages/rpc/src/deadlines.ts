const sweepEveryMs = 20;

/** Something that ends at a moment unless it has ended before. */
export interface Expiring {
  /** Epoch milliseconds. */
  readonly deadlineAt: number;
  expire(): void;
}

const pending = new Set<Expiring>();
let sweeping: NodeJS.Timeout | undefined;

/** Has `expire` called within 20 ms of the deadline: one timer looks after all, for one per call would cost more than the call. */
export function watchDeadline(item: Expiring): void {
  pending.add(item);
  sweeping ??= setInterval(sweep, sweepEveryMs).unref();
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
