import { logger } from '@webkiln/runtime';
import { suspensionOf } from '@webkiln/standing';
import type { AttemptedDelivery, Outcome } from './outcome.ts';
import type { Receiver } from './sender.ts';

/** True if nothing is sent to the endpoint, because its organization is suspended. */
export async function isHeldBack({ org_id }: Receiver): Promise<boolean> {
  try {
    return (await suspensionOf(org_id)).suspended;
  } catch (error) {
    logger.warn({ err: error, org_id }, 'standing of an organization not read; its deliveries are sent');
    return false;
  }
}

/** Pending and never due, without an attempt: `sweepHeldBack` makes it due. */
export const untilResumed = ({ attempts, attempt_count }: AttemptedDelivery): Outcome => ({
  attempts,
  attempt_count,
  status: 'pending',
  due_at: null,
  delivered_at: null,
});
