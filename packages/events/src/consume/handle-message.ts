import type { EventEnvelope, EventType } from '@webkiln/messages';
import { within, withSpan } from '@webkiln/runtime';
import type { Session } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { isDead, namesIn } from '../dead-letters/dead-letter-store.ts';
import { UnreadableMessage } from '../dead-letters/set-aside.ts';
import type { OrganizationSlots } from './organization-slots.ts';
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
  const { name, ackWaitMs, maxHandlingMs } = consumption;
  const keepAlive = setInterval(() => message.working(), ackWaitMs / 3);
  try {
    const text = message.string();
    const run = async () => {
      if (message.redelivered && (await isDead({ consumer: name, text }))) return 'dead';
      return within(maxHandlingMs, handleText(text, consumption, message.headers?.get('traceparent') || undefined));
    };
    const { org_id } = namesIn(text);
    if (message.redelivered) slots?.noteReturn(org_id);
    if (!(await isAdmitted(text, consumption))) return acknowledge(message, name, 'done');
    const result = await (slots === undefined ? run() : slots.run(org_id, run));
    if (result === 'dead') terminate(message, name);
    else acknowledge(message, name, result);
  } catch (error) {
    await settleFailure(message, consumption, error);
  } finally {
    clearInterval(keepAlive);
  }
}

async function isAdmitted<M extends Message>(text: string, consumption: Settled<M>): Promise<boolean> {
  return !('admits' in consumption) || consumption.admits === undefined || consumption.admits(readMessage<M>(text));
}

/** Runs the handler unless it has handled the message before. */
export async function handleText<M extends Message>(
  text: string,
  { name, concerns, runOnce }: Settled<M>,
  parent?: string,
): Promise<'done' | 'repeated'> {
  const event = readMessage<M>(text);
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
