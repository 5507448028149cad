import { AppError, type EventEnvelope, type EventType } from '@webkiln/contract';
import { counter, logger, withSpan } from '@webkiln/runtime';
import { onlyOnce, type Session } from '@webkiln/store';
import type { JsMsg } from 'nats';

const firstRetryMs = 250;
const lastRetryMs = 60_000;
const storeAwayRetryMs = 1_000;
const attemptsBeforeAlarm = 5;

export interface Consumption<T extends EventType> {
  /** The durable consumer's name: unique in the platform, and for good (it is part of what says that an event was handled). */
  name: string;
  types: readonly T[];
  /**
   * What the event does to this service's data; writes go through the session: `scoped(Model, { org_id: event.org_id, session })`. What
   * takes long comes before the first use of the session, which opens a transaction.
   */
  effect: (event: EventEnvelope<T>, session: Session) => Promise<void>;
  /** After how many milliseconds of silence a process counts as dead and its events go to another; default 5,000. */
  ackWaitMs?: number;
  /** How many effects run at once in one process; default 16. Few for what is in no hurry, so that it leaves room for requests. */
  atOnce?: number;
}

/** With its defaults. */
export type Settled<T extends EventType> = Consumption<T> & { ackWaitMs: number; atOnce: number };

const handledTotal = counter({
  name: 'webkiln_events_handled_total',
  help: 'Deliveries of events to consumers: done, repeated (was done before) or failed (comes again)',
  labelNames: ['consumer', 'result'],
});

/** Runs a message's effect, and acknowledges it or has it come again; never rejects. */
export async function handle<T extends EventType>(message: JsMsg, consumption: Settled<T>): Promise<void> {
  const { name, ackWaitMs } = consumption;
  const stillWorking = setInterval(() => message.working(), ackWaitMs / 3);
  try {
    const result = await effectOf(message, consumption);
    message.ack();
    handledTotal.inc({ consumer: name, result });
  } catch (error) {
    message.nak(retryWaitMs(message, error));
    handledTotal.inc({ consumer: name, result: 'failed' });
    const level = message.info.deliveryCount >= attemptsBeforeAlarm ? 'error' : 'warn';
    logger[level](
      { err: error, consumer: name, subject: message.subject, attempt: message.info.deliveryCount },
      'an event could not be handled',
    );
  } finally {
    clearInterval(stillWorking);
  }
}

function effectOf<T extends EventType>(message: JsMsg, { name, effect }: Settled<T>): Promise<'done' | 'repeated'> {
  const event = message.json<EventEnvelope<T>>();
  const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': name, 'messaging.message.id': event.id };
  const parent = message.headers?.get('traceparent') || undefined;
  return withSpan(`handle ${event.type}`, { kind: 'consumer', attributes, parent }, async () =>
    (await onlyOnce(`${name} ${event.id}`, (session) => effect(event, session))) ? 'done' : 'repeated',
  );
}

/** A store that is away says nothing of the event: it comes again as soon as the store may be back. */
function retryWaitMs({ info }: JsMsg, error: unknown): number {
  if (error instanceof AppError && error.kind === 'unavailable') return storeAwayRetryMs;
  return Math.min(firstRetryMs * 2 ** (info.deliveryCount - 1), lastRetryMs);
}
