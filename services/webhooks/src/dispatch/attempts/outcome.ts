import { counter, logger } from '@webkiln/runtime';
import { type DeliveryState, withAttempt } from '../deliveries/delivery.ts';
import type { DispatchSettings } from './dispatch-settings.ts';
import { nextAttemptAt } from './schedule.ts';
import type { Receiver, Sent } from './sender.ts';

export type Outcome = Pick<DeliveryState, 'status' | 'attempts' | 'attempt_count' | 'due_at' | 'delivered_at'>;

const attemptsTotal = counter({
  name: 'webkiln_webhook_deliveries_total',
  help: 'What became of deliveries: delivered, again (a later attempt is due), failed for good, skipped (inactive endpoint)',
  labelNames: ['outcome'],
});

const counted = {
  delivered: attemptsTotal.labels('delivered'),
  again: attemptsTotal.labels('again'),
  failed: attemptsTotal.labels('failed'),
  skipped: attemptsTotal.labels('skipped'),
};

export const countSkipped = (): void => counted.skipped.inc();

/** What a delivery becomes by an attempt. Tells metrics and, where it failed, the log. */
export function outcomeOf(
  { retryWaitsMs }: Pick<DispatchSettings, 'retryWaitsMs'>,
  receiver: Receiver,
  delivery: Pick<DeliveryState, 'attempts' | 'attempt_count' | 'event_id'>,
  sent: Sent,
): Outcome {
  const { attempt, endedAt } = sent;
  const attempt_count = delivery.attempt_count + 1;
  const made = { attempts: withAttempt(delivery.attempts, attempt), attempt_count };
  if (sent.succeeded) {
    counted.delivered.inc();
    return { ...made, status: 'delivered', due_at: null, delivered_at: new Date(endedAt).toISOString() };
  }
  const dueAt = sent.gone ? undefined : nextAttemptAt(retryWaitsMs, attempt_count, endedAt, sent.retryAfter);
  counted[dueAt === undefined ? 'failed' : 'again'].inc();
  logger.info(
    {
      webhook_id: receiver._id,
      org_id: receiver.org_id,
      event_id: delivery.event_id,
      attempt: attempt_count,
      status_code: attempt.status_code,
      latency_ms: attempt.latency_ms,
      reason: attempt.reason,
      next_attempt_at: dueAt === undefined ? null : new Date(dueAt).toISOString(),
    },
    'an attempt to deliver failed',
  );
  return dueAt === undefined
    ? { ...made, status: 'failed', due_at: null, delivered_at: null }
    : { ...made, status: 'pending', due_at: new Date(dueAt), delivered_at: null };
}
