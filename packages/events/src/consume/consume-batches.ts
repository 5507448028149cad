import type { WebhookEvent } from '@webkiln/contract';
import type { EventEnvelope } from '@webkiln/messages';
import type { JsMsg } from 'nats';
import { theBus } from '../bus.ts';
import { runDurable } from './durable-consumer.ts';
import { acknowledge, negativelyAcknowledge } from './settle-message.ts';

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
  /** The maximum number of events in flight in a process; default 1,024. */
  concurrency?: number;
}

/**
 * Handles events of these types in batches, one batch per event-loop tick, and acknowledges each event separately: at
 * least once, in any order. For effects outside the database, or with batched writes; `consume` runs a handler once per
 * event.
 */
export function consumeBatches({ ackWaitMs = 5_000, concurrency = 1_024, ...consumption }: BatchConsumption): void {
  const bus = theBus();
  const batches = new Batches(consumption);
  const keepAlive = setInterval(() => batches.keepAlive(), ackWaitMs / 3);
  const subjects = consumption.types.map((type) => bus.subject(type));
  const durable = { name: consumption.name, stream: bus.stream, subjects, ackWaitMs, concurrency };
  // Negatively acknowledged events count as pending: many failing events must not block the others.
  const limits = { minRoom: concurrency / 4, maxAckPending: concurrency * maxAckPendingFactor };
  const running = runDurable(bus, { ...durable, ...limits }, (message) => batches.begin(message));
  bus.beforeStop(() => running.finally(() => clearInterval(keepAlive)));
}

interface Waiting {
  readonly message: JsMsg;
  readonly event: StreamEvent;
  readonly ended: () => void;
}

class Batches {
  readonly #name: string;
  readonly #handle: BatchConsumption['handle'];
  readonly #inFlight = new Set<JsMsg>();
  #batch: Waiting[] = [];

  constructor({ name, handle }: Pick<BatchConsumption, 'name' | 'handle'>) {
    this.#name = name;
    this.#handle = handle;
  }

  /** Resolves when the message is acknowledged, positively or negatively. */
  begin(message: JsMsg): Promise<void> {
    return new Promise((ended) => {
      try {
        if (this.#batch.push({ message, event: read(message), ended }) === 1) setImmediate(this.#dispatch);
        this.#inFlight.add(message);
      } catch (error) {
        negativelyAcknowledge(message, this.#name, error);
        ended();
      }
    });
  }

  /** Extends the ack wait of all messages in flight. */
  keepAlive(): void {
    for (const message of this.#inFlight) message.working();
  }

  readonly #dispatch = (): void => {
    const batch = this.#batch;
    this.#batch = [];
    const handled = this.#handle(batch.map(({ event }) => event));
    for (const [index, waiting] of batch.entries()) void this.#settle(waiting, handled[index]);
  };

  async #settle({ message, ended }: Waiting, handled: Promise<void> | undefined): Promise<void> {
    try {
      await handled;
      acknowledge(message, this.#name, 'done');
    } catch (error) {
      negativelyAcknowledge(message, this.#name, error);
    } finally {
      this.#inFlight.delete(message);
      ended();
    }
  }
}

/** Throws if the message is not an event. */
function read(message: JsMsg): StreamEvent {
  const json = message.string();
  const { id, type, org_id } = JSON.parse(json) as EventEnvelope & { type: WebhookEvent };
  return { id, type, org_id, json, redelivered: message.redelivered };
}
