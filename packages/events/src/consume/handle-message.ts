import type { EventEnvelope, EventType } from '@webkiln/contract';
import { withSpan } from '@webkiln/runtime';
import { doneOnce, onlyOnce, type Session } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { acknowledge, comesAgain } from './settle-message.ts';

/** An event, or what else a stream holds. */
export interface Message {
  readonly id: string;
  readonly type: string;
}

export interface Subscription {
  /** The durable consumer's name: unique in the platform, and for good (it is part of what says that an event was handled). */
  name: string;
  /** After how many milliseconds of silence a process counts as dead and its events go to another; default 5,000. */
  ackWaitMs?: number;
  /** How many effects run at once in one process; default 16. Few for what is in no hurry, so that it leaves room for requests. */
  atOnce?: number;
}

interface Effect<M> {
  /**
   * What the event does to this service's data; writes go through the session: `scoped(Model, { org_id: event.org_id, session })`. What
   * takes long comes before the first use of the session, which opens a transaction.
   */
  effect: (event: M, session: Session) => Promise<void>;
}

interface Act<M> {
  /** What is done outside our data, such as a mail: once, or again where the process died before that was noted. */
  act: (event: M) => Promise<void>;
}

export type Handling<M> = Effect<M> | Act<M>;

export type Consumption<T extends EventType> = Subscription & { types: readonly T[] } & Handling<EventEnvelope<T>>;

/** With its defaults. */
type Settled<M> = Subscription & Handling<M> & { ackWaitMs: number };

/** Runs a message's effect, and acknowledges it or has it come again; never rejects. */
export async function handle<M extends Message>(message: JsMsg, consumption: Settled<M>): Promise<void> {
  const { name, ackWaitMs } = consumption;
  const stillWorking = setInterval(() => message.working(), ackWaitMs / 3);
  try {
    const result = await effectOf(message, consumption);
    acknowledge(message, name, result);
  } catch (error) {
    comesAgain(message, name, error);
  } finally {
    clearInterval(stillWorking);
  }
}

function effectOf<M extends Message>(message: JsMsg, consumption: Settled<M>): Promise<'done' | 'repeated'> {
  const { name } = consumption;
  const event = message.json<M>();
  const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': name, 'messaging.message.id': event.id };
  const parent = message.headers?.get('traceparent') || undefined;
  const key = `${name} ${event.id}`;
  const run = () =>
    'act' in consumption ? doneOnce(key, () => consumption.act(event)) : onlyOnce(key, (session) => consumption.effect(event, session));
  return withSpan(`handle ${event.type}`, { kind: 'consumer', attributes, parent }, async () => ((await run()) ? 'done' : 'repeated'));
}
