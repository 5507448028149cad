import { AppError } from '@webkiln/contract';
import type { EventEnvelope, EventType } from '@webkiln/messages';
import { counter, logger, Postponed, within, withSpan } from '@webkiln/runtime';
import { isErased, type Session } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { findBus, theBus } from '../bus.ts';
import { type FailedMessage, isDead, namesIn, recordFailure } from '../dead-letters/dead-letter-store.ts';
import { becomeDeadLetter, UnreadableMessage } from '../dead-letters/set-aside.ts';
import type { OrganizationSlots } from './organization-slots.ts';

export interface Subscription {
  /**
   * The durable consumer's name: unique in the platform, and permanent, because the keys of handled events contain it.
   */
  name: string;
  /** After this silence a process counts as dead, and its events go to another; default 5,000. */
  ackWaitMs?: number;
  /**
   * Handlers that run concurrently in a process; default 16. Low for background work, to leave capacity for requests.
   */
  concurrency?: number;
  /**
   * Handlers of one organization that run concurrently in a process; organizations then share them fairly.
   * Default: all, in the order of the stream.
   */
  perOrganization?: number;
  /** How long a failing message is retried before it becomes a dead letter; default: the setting of the process. */
  retryForMs?: number;
}

interface Effect<M> {
  /**
   * Changes this service's data, once per event. Writes use the session: `scoped(Model, { org_id: event.org_id, session
   * })`. Slow work comes before the first use of the session, which opens the transaction.
   */
  transactionalHandler: (event: M, session: Session) => Promise<void>;
}

/** The same for events that wait together: in one transaction, in the order of the stream; if it fails, one by one. */
interface BatchEffect<M> {
  transactionalBatchHandler: (events: readonly M[], session: Session) => Promise<void>;
  /** How long an event waits for others; default 0. */
  lingerMs?: number;
}

interface Act<M> {
  /** For effects outside the database, such as a mail: runs again if the process dies before completion is recorded. */
  atLeastOnceHandler: (event: M) => Promise<void>;
  /**
   * Decides, before the event's organization gets a slot, whether the event is handled; asked on each delivery. False
   * ends it without a record.
   */
  admits?: (event: M) => Promise<boolean>;
}

export type Handling<M> = (Effect<M> | BatchEffect<M> | Act<M>) & {
  /** False for a message without an effect, which is then acknowledged without a record of it. */
  concerns?: (event: M) => boolean;
};

export type Consumption<T extends EventType> = Subscription & { types: readonly T[] } & Handling<EventEnvelope<T>>;

/** With defaults applied. */
export type Settled<M> = Subscription &
  Handling<M> &
  Required<Pick<Subscription, 'ackWaitMs' | 'retryForMs'>> & { maxHandlingMs: number; runOnce: RunOnce<M> };

/** Runs the handler unless it has handled the event before; returns false then. */
export type RunOnce<M> = (event: M) => Promise<boolean>;

/**
 * Runs a message's handler, when its organization has a slot, and acknowledges the message, has it redelivered
 * or sets it aside. Never rejects.
 */
export async function handle<M extends Message>(message: JsMsg, consumption: Settled<M>, slots?: OrganizationSlots): Promise<void> {
  const { name, maxHandlingMs } = consumption;
  try {
    const text = message.string();
    if (message.redelivered && (await isDead({ consumer: name, text }))) return terminate(message, name);
    const event = readMessage<M>(text);
    if ('admits' in consumption && consumption.admits !== undefined && !(await consumption.admits(event))) {
      return acknowledge(message, name, 'done');
    }
    // It was asked about while the service began to stop, which waits for handlers.
    if (slots !== undefined && findBus() === undefined) throw new Postponed('this process stops', firstRetryMs);
    const run = () => within(maxHandlingMs, handleEvent(event, consumption, message.headers?.get('traceparent') || undefined));
    const held = { org_id: organizationOf(event), length: text.length, deliveries: message.info.deliveryCount };
    acknowledge(message, name, await (slots === undefined ? run() : slots.run(held, run)));
  } catch (error) {
    await settleFailure(message, consumption, error);
  }
}

/** Empty in messages that name none. */
const organizationOf = (event: Message & { readonly org_id?: unknown }): string => (typeof event.org_id === 'string' ? event.org_id : '');

/** Runs the handler unless it has handled the event before. */
export async function handleEvent<M extends Message>(
  event: M,
  { name, concerns, runOnce }: Settled<M>,
  parent?: string,
): Promise<'done' | 'repeated'> {
  if (concerns?.(event) === false) return 'done';
  const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': name, 'messaging.message.id': event.id };
  return withSpan(`handle ${event.type}`, { kind: 'consumer', attributes, parent }, async () =>
    (await runOnce(event)) ? 'done' : 'repeated',
  );
}

/** An event, or any other message of a stream. */
export interface Message {
  readonly id: string;
  readonly type: string;
}

/** Throws `UnreadableMessage` unless the text is a JSON object with an id and a type. */
export function readMessage<M extends Message>(text: string): M {
  let found: Partial<M> | null;
  try {
    found = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableMessage('the message is no JSON', { cause });
  }
  if (typeof found?.id !== 'string' || typeof found.type !== 'string') throw new UnreadableMessage('the message has no id and type');
  return found as M;
}

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
