import { AppError } from '@webkiln/contract';
import { counter, logger, Postponed } from '@webkiln/runtime';
import { isErased } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { theBus } from '../bus.ts';
import { type FailedMessage, namesIn, recordFailure } from '../dead-letters/dead-letter-store.ts';
import { becomeDeadLetter, UnreadableMessage } from '../dead-letters/set-aside.ts';

const firstRetryMs = 250;
const minLastRetryMs = 60_000;
const retriesInPeriod = 100;
const unavailableRetryMs = 1_000;
const attemptsBeforeAlarm = 5;

const handledTotal = counter({
  name: 'webkiln_events_handled_total',
  help: 'Deliveries of events to consumers: done, repeated (was done before), failed (comes again) or dead (set aside)',
  labelNames: ['consumer', 'result'],
});

/** Acknowledges the message and counts it. */
export function acknowledge(message: JsMsg, consumer: string, result: 'done' | 'repeated'): void {
  message.ack();
  handledTotal.inc({ consumer, result });
}

/** Ends a message that is kept as a dead letter. */
export function terminate(message: JsMsg, consumer: string): void {
  message.term();
  handledTotal.inc({ consumer, result: 'dead' });
}

interface FailingConsumer {
  readonly name: string;
  /** How long failures are retried before the message becomes a dead letter. */
  readonly retryForMs: number;
}

/**
 * Has a failed message redelivered with exponential backoff, or sets it aside: at once if it is unreadable, else once
 * it has failed for `retryForMs`. What is unavailable or postponed is no failure of the message and is always retried.
 * A message of an erased organization ends: its records are refused, and a dead letter would be one. Never rejects.
 */
export async function settleFailure(message: JsMsg, { name, retryForMs }: FailingConsumer, error: unknown): Promise<void> {
  const waitMs = waitFor(error);
  if (waitMs !== undefined) return redeliver(message, name, error, waitMs);
  const failed: FailedMessage = { consumer: name, text: message.string() };
  try {
    if (await isErased(namesIn(failed.text).org_id)) return acknowledge(message, name, 'done');
    const { attempts, first_failed_at } = await recordFailure(failed, error);
    const isOver = attempts > 1 && Date.now() - first_failed_at.getTime() >= retryForMs;
    if (!isOver && !(error instanceof UnreadableMessage)) return redeliver(message, name, error, backoffMs(attempts, retryForMs));
    await becomeDeadLetter(theBus(), failed, error);
    terminate(message, name);
  } catch (storeError) {
    redeliver(message, name, storeError, unavailableRetryMs);
  }
}

function redeliver(message: JsMsg, consumer: string, error: unknown, delayMs: number): void {
  // NATS takes a delay that is no whole number for none.
  message.nak(Math.ceil(delayMs));
  if (error instanceof Postponed) return;
  handledTotal.inc({ consumer, result: 'failed' });
  const level = message.info.deliveryCount >= attemptsBeforeAlarm ? 'error' : 'warn';
  logger[level](
    { err: error, consumer, subject: message.subject, attempt: message.info.deliveryCount },
    'handling an event failed; it will be redelivered',
  );
}

/** For an error that is not the message's fault: when to redeliver it. */
function waitFor(error: unknown): number | undefined {
  if (error instanceof Postponed) return error.delayMs;
  return error instanceof AppError && error.kind === 'unavailable' ? unavailableRetryMs : undefined;
}

const backoffMs = (failures: number, retryForMs: number): number =>
  Math.min(firstRetryMs * 2 ** (failures - 1), Math.max(minLastRetryMs, retryForMs / retriesInPeriod));
