import type { EventEnvelope, EventType } from '@webkiln/messages';
import { withSpan } from '@webkiln/runtime';
import { runAtLeastOnce, runInTransactionOnce, type Session } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { isDead } from '../dead-letters/dead-letter-store.ts';
import { namesIn } from '../dead-letters/letter.ts';
import type { OrganizationTurns } from './organization-turns.ts';
import { type Message, readMessage } from './read-message.ts';
import { acknowledge, settleFailure, terminate } from './settle-message.ts';

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
   * Handlers of one organization that run concurrently in a process; organizations then take turns. Default: all, in
   * the order of the stream.
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

interface Act<M> {
  /** For effects outside the database, such as a mail: runs again if the process dies before completion is recorded. */
  atLeastOnceHandler: (event: M) => Promise<void>;
}

export type Handling<M> = Effect<M> | Act<M>;

export type Consumption<T extends EventType> = Subscription & { types: readonly T[] } & Handling<EventEnvelope<T>>;

/** With defaults applied. */
type Settled<M> = Subscription & Handling<M> & { ackWaitMs: number; retryForMs: number };

/**
 * Runs a message's handler, when it is the turn of its organization, and acknowledges the message, has it redelivered
 * or sets it aside. Never rejects.
 */
export async function handle<M extends Message>(message: JsMsg, consumption: Settled<M>, turns?: OrganizationTurns): Promise<void> {
  const { name, ackWaitMs } = consumption;
  const keepAlive = setInterval(() => message.working(), ackWaitMs / 3);
  try {
    const text = message.string();
    const run = async () => {
      if (message.redelivered && (await isDead({ consumer: name, text }))) return 'dead';
      return runOnce(text, consumption, message.headers?.get('traceparent') || undefined);
    };
    const result = await (turns === undefined ? run() : turns.run({ ...namesIn(text), isReturning: message.redelivered }, run));
    if (result === 'dead') terminate(message, name);
    else acknowledge(message, name, result);
  } catch (error) {
    await settleFailure(message, consumption, error);
  } finally {
    clearInterval(keepAlive);
  }
}

/** Runs the handler unless it has handled the message before. */
export function runOnce<M extends Message>(
  text: string,
  consumption: Subscription & Handling<M>,
  parent?: string,
): Promise<'done' | 'repeated'> {
  const { name } = consumption;
  const event = readMessage<M>(text);
  const attributes = { 'messaging.system': 'nats', 'messaging.consumer.group.name': name, 'messaging.message.id': event.id };
  const key = `${name} ${event.id}`;
  const run = () =>
    'atLeastOnceHandler' in consumption
      ? runAtLeastOnce(key, () => consumption.atLeastOnceHandler(event))
      : runInTransactionOnce(key, (session) => consumption.transactionalHandler(event, session));
  return withSpan(`handle ${event.type}`, { kind: 'consumer', attributes, parent }, async () => ((await run()) ? 'done' : 'repeated'));
}
