import { counter, logger, type PollTimer } from '@webkiln/runtime';
import { type DeliveryState, withAttempt } from '../deliveries/delivery.ts';
import { disable, recordFailing, recordWorking } from '../endpoints/endpoint-store.ts';
import type { DispatchSettings } from './dispatch-config.ts';
import type { Receiver, Sent } from './sender.ts';

/** The end of every attempt: its outcome is written, then the endpoint's health is updated and a retry is scheduled. */
export class OutcomeRecorder {
  readonly #settings: Pick<DispatchSettings, 'retryWaitsMs'>;
  readonly #health: EndpointHealth;
  readonly #pollTimer: PollTimer;

  constructor(settings: Pick<DispatchSettings, 'retryWaitsMs'>, health: EndpointHealth, pollTimer: PollTimer) {
    this.#settings = settings;
    this.#health = health;
    this.#pollTimer = pollTimer;
  }

  /** Never rejects: a delivery whose outcome cannot be written is attempted again. */
  async record(receiver: Receiver, delivery: AttemptedDelivery, sent: Sent, write: (outcome: Outcome) => Promise<unknown>): Promise<void> {
    const outcome = outcomeOf(this.#settings, receiver, delivery, sent);
    try {
      await write(outcome);
    } catch (error) {
      const { event_id } = delivery;
      logger.warn({ err: error, webhook_id: receiver._id, event_id }, 'writing a delivery outcome failed; the attempt will be repeated');
    }
    this.#health.record(receiver, sent);
    if (outcome.due_at !== null) this.#pollTimer.pollBy(outcome.due_at);
  }
}

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
function outcomeOf(
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

/** Records since when an endpoint fails, and disables it when it is gone or has failed for too long. */
export class EndpointHealth {
  readonly #disableAfterMs: number;
  /** Writes in flight, by endpoint: only one of several concurrent attempts writes. */
  readonly #writing = new Map<string, Promise<void>>();

  constructor(disableAfterMs: number) {
    this.#disableAfterMs = disableAfterMs;
  }

  /** Writes nothing while an endpoint keeps working. */
  record(receiver: Receiver, sent: Sent): void {
    if (sent.succeeded && receiver.failing_since === null) return;
    const { _id } = receiver;
    if (this.#writing.has(_id)) return;
    const writing = this.#write(receiver, sent)
      .catch((error: unknown) =>
        logger.warn({ err: error, webhook_id: _id }, 'recording endpoint health failed; the next attempt records it'),
      )
      .finally(() => this.#writing.delete(_id));
    this.#writing.set(_id, writing);
  }

  /** Resolves when every write has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  async #write({ _id, org_id, failing_since, url }: Receiver, { succeeded, gone, endedAt }: Sent): Promise<void> {
    const scope = { org_id };
    if (succeeded) return recordWorking(scope, _id);
    if (gone) return disable(scope, _id, 'gone', (endpoint) => endpoint.url === url);
    if (failing_since === null) return recordFailing(scope, _id, new Date(endedAt));
    if (!this.#isOver(failing_since, endedAt)) return;
    await disable(scope, _id, 'failing', (endpoint) => endpoint.failing_since !== null && this.#isOver(endpoint.failing_since, endedAt));
  }

  #isOver(failingSince: Date, now: number): boolean {
    return now - failingSince.getTime() >= this.#disableAfterMs;
  }
}

const jitter = 0.1;
const maxRetryAfterMs = 24 * 3600_000;

/**
 * When the next attempt is due, in epoch milliseconds; undefined after the last one. `made` counts the attempts so far,
 * `endedAt` is the end of the last one. Waits vary by ±10 % (`random` is from 0 to 1), so that deliveries that failed
 * together are not retried together. A longer `Retry-After` is respected, up to a day.
 */
export function nextAttemptAt(
  waitsMs: readonly number[],
  made: number,
  endedAt: number,
  retryAfter: string | undefined,
  random = Math.random(),
): number | undefined {
  const wait = waitsMs[made - 1];
  if (wait === undefined) return undefined;
  const scheduled = endedAt + wait * (1 - jitter + 2 * jitter * random);
  const requested = retryAfter === undefined ? 0 : retryAfterTime(retryAfter, endedAt);
  return Math.round(Math.max(scheduled, Math.min(requested, endedAt + maxRetryAfterMs)));
}

/** RFC 9110 §10.2.3: seconds or an HTTP date. Returns epoch milliseconds, 0 for anything else. */
function retryAfterTime(retryAfter: string, now: number): number {
  const text = retryAfter.trim();
  if (/^\d+$/.test(text)) return now + Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : date;
}
