import type { WebhookEvent } from '@webkiln/contract';
import type { EventEnvelope } from '@webkiln/messages';
import { batched, within } from '@webkiln/runtime';
import type { JsMsg } from 'nats';
import { theBus } from '../bus.ts';
import { isDead } from '../dead-letters/dead-letter-store.ts';
import { runDurable } from './durable-consumer.ts';
import { acknowledge, readMessage, settleFailure, terminate } from './handle-message.ts';

const maxAckPendingFactor = 16;

/** An event on the stream. */
export interface StreamEvent {
  readonly id: string;
  readonly type: WebhookEvent;
  readonly org_id: string;
  /** Its exact text: the whole envelope. */
  readonly json: string;
  /** True when it was delivered before, and perhaps handled. */
  readonly redelivered: boolean;
}

export interface BatchConsumption {
  /** The durable consumer's name: unique in the platform, and permanent. */
  name: string;
  types: readonly WebhookEvent[];
  /**
   * Handles a batch. Returns one promise per event, in order: it resolves when the event is done, and rejects to have
   * it redelivered. An event may be delivered more than once.
   */
  handle: (events: readonly StreamEvent[]) => readonly Promise<void>[];
  /** After this silence a process counts as dead, and its events are redelivered to another; default 5,000. */
  ackWaitMs?: number;
  /** The maximum number of events of each stream in flight in a process; default 1,024. */
  concurrency?: number;
}

/**
 * Handles events of these types in batches, one batch per event-loop tick, and acknowledges each event separately: at
 * least once, in any order. For effects outside the database, or with batched writes; `consume` runs a handler once per
 * event.
 */
export function consumeBatches({ name, types, handle, ackWaitMs = 5_000, concurrency = 1_024 }: BatchConsumption): void {
  const bus = theBus();
  // A batch ends at once, so that each event is acknowledged by itself.
  const handled = batched<StreamEvent, { done: Promise<void> }>(async (events) => handle(events).map((done) => ({ done })), {
    maxBatchSize: concurrency,
  });
  const begin = async (message: JsMsg) => {
    try {
      const text = message.string();
      if (message.redelivered && (await isDead({ consumer: name, text }))) return terminate(message, name);
      await within(bus.giveUp.maxHandlingMs, (await handled(read(text, message.redelivered))).done);
      acknowledge(message, name, 'done');
    } catch (error) {
      await settleFailure(message, { name, retryForMs: bus.giveUp.retryForMs }, error);
    }
  };
  // Negatively acknowledged events count as pending: many failing events must not block the others.
  const limits = { minRoom: concurrency / 4, maxAckPending: concurrency * maxAckPendingFactor };
  bus.replays.set(name, async (text) => (await handled(read(text, true))).done);
  const running = bus.sources(types).map((source) => runDurable(bus, { name, ...source, ackWaitMs, concurrency, ...limits }, begin));
  bus.beforeStop(async () => void (await Promise.all(running)));
}

/** Throws `UnreadableMessage` if the text is not an event. */
function read(json: string, redelivered: boolean): StreamEvent {
  const { id, type, org_id } = readMessage<EventEnvelope & { type: WebhookEvent }>(json);
  return { id, type, org_id, json, redelivered };
}
