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

/** The consumer is through with the message. */
export function acknowledge(message: JsMsg, consumer: string, result: 'done' | 'repeated'): void {
  message.ack();
  handledTotal.inc({ consumer, result });
}

/** The message failed: it comes again, after a wait that grows. */
export function comesAgain(message: JsMsg, consumer: string, error: unknown): void {
  message.nak(retryWaitMs(message, error));
  handledTotal.inc({ consumer, result: 'failed' });
  const level = message.info.deliveryCount >= attemptsBeforeAlarm ? 'error' : 'warn';
  logger[level]({ err: error, consumer, subject: message.subject, attempt: message.info.deliveryCount }, 'an event could not be handled');
}

/** A store that is away says nothing of the event: it comes again as soon as the store may be back. */
function retryWaitMs({ info }: JsMsg, error: unknown): number {
  if (error instanceof AppError && error.kind === 'unavailable') return storeAwayRetryMs;
  return Math.min(firstRetryMs * 2 ** (info.deliveryCount - 1), lastRetryMs);
}
