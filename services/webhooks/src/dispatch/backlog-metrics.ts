import { gauge } from '@webkiln/runtime';
import { nextDue, pendingCount } from '../deliveries/delivery-store.ts';

/** Counting is off an index; more than this is a heap, however high. */
const countedMost = 100_000;

/** Shows what waits in the store. It is looked up when metrics are asked for; without an answer of the store the last figures stand. */
export function showPending(): void {
  const pending = gauge({
    name: 'webkiln_webhook_deliveries_pending',
    help: `Deliveries that wait for an attempt, of all organizations; at most ${countedMost}`,
    collect: async () => {
      const count = await pendingCount(countedMost).catch(() => undefined);
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
