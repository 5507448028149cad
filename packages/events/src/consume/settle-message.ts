import { AppError } from '@webkiln/contract';
import { counter, logger } from '@webkiln/runtime';
import type { JsMsg } from 'nats';

const firstRetryMs = 250;
const lastRetryMs = 60_000;
const storeAwayRetryMs = 1_000;
const attemptsBeforeAlarm = 5;

const handledTotal = counter({
  name: 'webkiln_events_handled_total',
  help: 'Deliveries of events to consumers: done, repeated (was done before) or failed (comes again)',
  labelNames: ['consumer', 'result'],
});

/** Acknowledges the message and counts it. */
export function acknowledge(message: JsMsg, consumer: string, result: 'done' | 'repeated'): void {
  message.ack();
  handledTotal.inc({ consumer, result });
}

/** Negatively acknowledges the message: it is redelivered with exponential backoff. */
export function negativelyAcknowledge(message: JsMsg, consumer: string, error: unknown): void {
  message.nak(retryDelayMs(message, error));
  handledTotal.inc({ consumer, result: 'failed' });
  const level = message.info.deliveryCount >= attemptsBeforeAlarm ? 'error' : 'warn';
  logger[level](
    { err: error, consumer, subject: message.subject, attempt: message.info.deliveryCount },
    'handling an event failed; it will be redelivered',
  );
}

/** An unreachable store is not the event's fault: it is redelivered after a fixed second. */
function retryDelayMs({ info }: JsMsg, error: unknown): number {
  if (error instanceof AppError && error.kind === 'unavailable') return storeAwayRetryMs;
  return Math.min(firstRetryMs * 2 ** (info.deliveryCount - 1), lastRetryMs);
}
