import { gauge } from '@webkiln/runtime';
import { nextDue, pendingCount } from '../deliveries/delivery-store.ts';

/** Counting scans an index; above this number the exact figure does not matter. */
const maxCount = 100_000;

/**
 * Registers gauges of the store's backlog, read on each scrape. While the store is unavailable they keep their last
 * values.
 */
export function registerBacklogMetrics(): void {
  const pending = gauge({
    name: 'webkiln_webhook_deliveries_pending',
    help: `Deliveries that wait for an attempt, of all organizations; at most ${maxCount}`,
    collect: async () => {
      const count = await pendingCount(maxCount).catch(() => undefined);
      if (count !== undefined) pending.set(count);
    },
  });
  const overdue = gauge({
    name: 'webkiln_webhook_overdue_seconds',
    help: 'For how long the oldest due delivery has been due',
    collect: async () => {
      const due = await nextDue().catch(() => undefined);
      if (due !== undefined) overdue.set(due === null ? 0 : Math.max(0, (Date.now() - due.getTime()) / 1_000));
    },
  });
}
