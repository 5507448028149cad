import type { EventEnvelope, EventType } from '@webkiln/contract';
import { withSpan } from '@webkiln/runtime';
import { doneOnce, onlyOnce, type Session } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { acknowledge, comesAgain } from './settle-message.ts';

interface Subscription<T extends EventType> {
  /** The durable consumer's name: unique in the platform, and for good (it is part of what says that an event was handled). */
  name: string;
  types: readonly T[];
  /** After how many milliseconds of silence a process counts as dead and its events go to another; default 5,000. */
  ackWaitMs?: number;
  /** How many effects run at once in one process; default 16. Few for what is in no hurry, so that it leaves room for requests. */
  atOnce?: number;
}

interface Effect<T extends EventType> {
  /**
   * What the event does to this service's data; writes go through the session: `scoped(Model, { org_id: event.org_id, session })`. What
   * takes long comes before the first use of the session, which opens a transaction.
   */
  effect: (event: EventEnvelope<T>, session: Session) => Promise<void>;
}

interface Act<T extends EventType> {
  /** What is done outside our data, such as a mail: once, or again where the process died before that was noted. */
  act: (event: EventEnvelope<T>) => Promise<void>;
}

export type Consumption<T extends EventType> = Subscription<T> & (Effect<T> | Act<T>);

/** With its defaults. */
export type Settled<T extends EventType> = Consumption<T> & { ackWaitMs: number; atOnce: number };

/** Runs a message's effect, and acknowledges it or has it come again; never rejects. */
export async function handle<T extends EventType>(message: JsMsg, consumption: Settled<T>): Promise<void> {
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

function effectOf<T extends EventType>(message: JsMsg, consumption: Settled<T>): Promise<'done' | 'repeated'> {
  const { name } = consumption;
  const event = message.json<EventEnvelope<T>>();
  const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': name, 'messaging.message.id': event.id };
  const parent = message.headers?.get('traceparent') || undefined;
  const key = `${name} ${event.id}`;
  const run = () =>
    'act' in consumption ? doneOnce(key, () => consumption.act(event)) : onlyOnce(key, (session) => consumption.effect(event, session));
  return withSpan(`handle ${event.type}`, { kind: 'consumer', attributes, parent }, async () => ((await run()) ? 'done' : 'repeated'));
}
