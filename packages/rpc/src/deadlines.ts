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
