import type { EventEnvelope, EventType } from '@webkiln/messages';
import { withSpan } from '@webkiln/runtime';
import { runAtLeastOnce, runInTransactionOnce, type Session } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { acknowledge, negativelyAcknowledge } from './settle-message.ts';

/** An event, or any other message of a stream. */
export interface Message {
  readonly id: string;
  readonly type: string;
}

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
}

interface Effect<M> {
  /**
   * Changes this service's data, once per event. Writes use the session: `scoped(Model, { org_id: event.org_id, session
   * })`. Slow work comes before the first use of the session, which opens the transaction.
   */
  transactionalHandler: (event: M, session: Session) => Promise<void>;
}

interface Act<M> {
  /** For effects outside the database, such as a mail: runs again if the process dies before completion is recorded. */
  atLeastOnceHandler: (event: M) => Promise<void>;
}

export type Handling<M> = Effect<M> | Act<M>;

export type Consumption<T extends EventType> = Subscription & { types: readonly T[] } & Handling<EventEnvelope<T>>;

/** With defaults applied. */
type Settled<M> = Subscription & Handling<M> & { ackWaitMs: number };

/** Runs a message's handler, and acknowledges the message or has it redelivered. Never rejects. */
export async function handle<M extends Message>(message: JsMsg, consumption: Settled<M>): Promise<void> {
  const { name, ackWaitMs } = consumption;
  const keepAlive = setInterval(() => message.working(), ackWaitMs / 3);
  try {
    const result = await effectOf(message, consumption);
    acknowledge(message, name, result);
  } catch (error) {
    negativelyAcknowledge(message, name, error);
  } finally {
    clearInterval(keepAlive);
  }
}

function effectOf<M extends Message>(message: JsMsg, consumption: Settled<M>): Promise<'done' | 'repeated'> {
  const { name } = consumption;
  const event = message.json<M>();
  const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': name, 'messaging.message.id': event.id };
  const parent = message.headers?.get('traceparent') || undefined;
  const key = `${name} ${event.id}`;
  const run = () =>
    'atLeastOnceHandler' in consumption
      ? runAtLeastOnce(key, () => consumption.atLeastOnceHandler(event))
      : runInTransactionOnce(key, (session) => consumption.transactionalHandler(event, session));
  return withSpan(`handle ${event.type}`, { kind: 'consumer', attributes, parent }, async () => ((await run()) ? 'done' : 'repeated'));
}
