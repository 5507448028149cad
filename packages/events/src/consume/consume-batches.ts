import type { EventEnvelope, WebhookEvent } from '@webkiln/contract';
import type { JsMsg } from 'nats';
import { theBus } from './bus.ts';
import { runDurable } from './durable.ts';
import { acknowledge, comesAgain } from './settle-message.ts';

const underWayFactor = 16;

/** An event as it stands on the stream. */
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
  /** The durable consumer's name: unique in the platform, and for good. */
  name: string;
  types: readonly WebhookEvent[];
  /**
   * Handles each event of a batch, answering at its place: a promise that resolves when the event may be forgotten, and rejects when it
   * is to come again. It may see an event more than once.
   */
  handle: (events: readonly StreamEvent[]) => readonly Promise<void>[];
  /** After how many milliseconds of silence a process counts as dead and its events go to another; default 5,000. */
  ackWaitMs?: number;
  /** How many events a process has in hand at most; default 1,024. */
  atOnce?: number;
}

/**
 * Hands on events of these types in batches, those that came in one turn of the event loop together, and acknowledges each by itself: at
 * least once, in any order. For effects that lie outside the database, or gather their writes; `consume` runs an effect once.
 */
export function consumeBatches({ ackWaitMs = 5_000, atOnce = 1_024, ...consumption }: BatchConsumption): void {
  const bus = theBus();
  const batches = new Batches(consumption);
  const stillWorking = setInterval(() => batches.stillWorking(), ackWaitMs / 3);
  const subjects = consumption.types.map((type) => bus.subject(type));
  const durable = { name: consumption.name, stream: bus.stream, subjects, ackWaitMs, atOnce };
  // What was put off counts as under way: a heap of failing events must not keep the others from coming.
  const limits = { leastRoom: atOnce / 4, underWayMost: atOnce * underWayFactor };
  const running = runDurable(bus, { ...durable, ...limits }, (message) => batches.begin(message));
  bus.beforeStop(() => running.finally(() => clearInterval(stillWorking)));
}

interface Waiting {
  readonly message: JsMsg;
  readonly event: StreamEvent;
  readonly ended: () => void;
}

class Batches {
  readonly #name: string;
  readonly #handle: BatchConsumption['handle'];
  readonly #inHand = new Set<JsMsg>();
  #turn: Waiting[] = [];

  constructor({ name, handle }: Pick<BatchConsumption, 'name' | 'handle'>) {
    this.#name = name;
    this.#handle = handle;
  }

  /** Resolves when the message is acknowledged or put off. */
  begin(message: JsMsg): Promise<void> {
    return new Promise((ended) => {
      try {
        if (this.#turn.push({ message, event: read(message), ended }) === 1) setImmediate(this.#handOn);
        this.#inHand.add(message);
      } catch (error) {
        comesAgain(message, this.#name, error);
        ended();
      }
    });
  }

  /** Keeps what is in hand from being delivered elsewhere. */
  stillWorking(): void {
    for (const message of this.#inHand) message.working();
  }

  readonly #handOn = (): void => {
    const batch = this.#turn;
    this.#turn = [];
    const handled = this.#handle(batch.map(({ event }) => event));
    for (const [index, waiting] of batch.entries()) void this.#settle(waiting, handled[index]);
  };

  async #settle({ message, ended }: Waiting, handled: Promise<void> | undefined): Promise<void> {
    try {
      await handled;
      acknowledge(message, this.#name, 'done');
    } catch (error) {
      comesAgain(message, this.#name, error);
    } finally {
      this.#inHand.delete(message);
      ended();
    }
  }
}

/** Throws for what is no event. */
function read(message: JsMsg): StreamEvent {
  const json = message.string();
  const { id, type, org_id } = JSON.parse(json) as EventEnvelope & { type: WebhookEvent };
  return { id, type, org_id, json, redelivered: message.redelivered };
}
