import { counter, logger } from '@webkiln/runtime';
import { type DeliveryState, withAttempt } from '../../deliveries/delivery.ts';
import type { DispatchSettings } from '../dispatch-config.ts';
import { nextAttemptAt } from './retry-schedule.ts';
import type { Receiver, Sent } from './sender.ts';

export type Outcome = Pick<DeliveryState, 'status' | 'attempts' | 'attempt_count' | 'due_at' | 'delivered_at'>;
export type AttemptedDelivery = Pick<DeliveryState, 'attempts' | 'attempt_count' | 'event_id'>;

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

/** The delivery's state after an attempt, which is counted and, if it failed, logged. */
export function outcomeOf(
  { retryWaitsMs }: Pick<DispatchSettings, 'retryWaitsMs'>,
  receiver: Receiver,
  delivery: AttemptedDelivery,
  sent: Sent,
): Outcome {
  const { attempt, endedAt } = sent;
  const attempt_count = delivery.attempt_count + 1;
  const attempted = { attempts: withAttempt(delivery.attempts, attempt), attempt_count };
  if (sent.succeeded) {
    counted.delivered.inc();
    return { ...attempted, status: 'delivered', due_at: null, delivered_at: new Date(endedAt).toISOString() };
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
    'delivery attempt failed',
  );
  return dueAt === undefined
    ? { ...attempted, status: 'failed', due_at: null, delivered_at: null }
    : { ...attempted, status: 'pending', due_at: new Date(dueAt), delivered_at: null };
}

/** The state of a delivery whose body is no longer kept: failed, which says nothing about its endpoint. */
export function unsendable(delivery: AttemptedDelivery, now: Date): Outcome {
  counted.failed.inc();
  const reason = 'The event is no longer kept, so it could not be sent.';
  const attempt = { at: now.toISOString(), status_code: null, latency_ms: 0, response: null, reason };
  const { attempts, attempt_count } = delivery;
  return { attempts: withAttempt(attempts, attempt), attempt_count, status: 'failed', due_at: null, delivered_at: null };
}
