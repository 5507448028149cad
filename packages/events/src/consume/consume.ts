import type { WebhookEvent } from '@webkiln/contract';
import type { EventEnvelope, EventType } from '@webkiln/messages';
import { batched, within } from '@webkiln/runtime';
import { runAtLeastOnce, runInTransactionOnce, runTogetherOnce } from '@webkiln/store';
import type { JsMsg } from 'nats';
import { theBus } from '../bus.ts';
import { isDead } from '../dead-letters/dead-letter-store.ts';
import type { FireAndForgetStream, StreamMessage } from '../fire-and-forget-stream.ts';
import type { PersistentStream } from '../persistent-stream.ts';
import { runDurable } from './durable-consumer.ts';
import {
  acknowledge,
  type Consumption,
  type Handling,
  handle,
  handleEvent,
  type Message,
  type RunOnce,
  readMessage,
  type Settled,
  type Subscription,
  settleFailure,
  terminate,
} from './handle-message.ts';
import { OrganizationSlots } from './organization-slots.ts';

/** Many messages that wait for their next attempt must not block the others. */
const maxAckPending = 16_384;
const defaultConcurrency = 16;
const maxAckPendingFactor = 16;

/**
 * Runs a handler once for each event of these types, through redeliveries and crashes. Events may come in any order. A
 * failed handler is retried with exponential backoff; an event that fails for too long, or cannot be read, becomes a
 * dead letter. Each stream that has such events gets a durable consumer of this name.
 */
export function consume<T extends EventType>({ types, ...consumption }: Consumption<T>): void {
  const slots = slotsOf(consumption);
  for (const { stream, subjects } of theBus().sources(types)) run(stream, subjects, consumption, slots);
}

/** The same for the messages of a fire-and-forget stream, as long as they are kept. */
export function consumeStream<M extends StreamMessage>(stream: FireAndForgetStream<M>, consumption: Subscription & Handling<M>): void {
  run(stream, stream.subjects, consumption);
}

const slotsOf = ({ perOrganization, concurrency = defaultConcurrency }: Subscription): OrganizationSlots | undefined =>
  perOrganization === undefined ? undefined : new OrganizationSlots({ concurrency, perOrganization });

function run<M extends Message>(
  stream: PersistentStream,
  subjects: readonly string[],
  consumption: Subscription & Handling<M>,
  slots?: OrganizationSlots,
): void {
  const bus = theBus();
  const { name, ackWaitMs = 5_000, concurrency = defaultConcurrency, retryForMs = bus.giveUp.retryForMs } = consumption;
  const { maxHandlingMs } = bus.giveUp;
  const runOnce = runnerOf(name, consumption, concurrency);
  const settled: Settled<M> = { ...consumption, ackWaitMs, retryForMs, maxHandlingMs, runOnce };
  const onEnd = () => slots?.sendBackWaiting();
  // A batch ends at once: then the next one is requested, not its first message.
  const minRoom = slots?.minRoom ?? ('transactionalBatchHandler' in consumption ? Math.ceil(concurrency / 4) : 1);
  const durable = { name, stream, subjects, ackWaitMs, concurrency: slots?.maxHeld ?? concurrency, minRoom, maxAckPending, onEnd };
  bus.replays.set(name, (text) => handleEvent(readMessage<M>(text), settled));
  const running = runDurable(bus, durable, (message) => handle(message, settled, slots));
  bus.beforeStop(() => running);
}

/** How a consumer's handler runs: once for each event, alone or with those that wait beside it. */
function runnerOf<M extends Message>(name: string, handling: Handling<M>, concurrency: number): RunOnce<M> {
  const keyOf = ({ id }: M) => `${name} ${id}`;
  if ('atLeastOnceHandler' in handling) return (event) => runAtLeastOnce(keyOf(event), () => handling.atLeastOnceHandler(event));
  if ('transactionalHandler' in handling) {
    return (event) => runInTransactionOnce(keyOf(event), (session) => handling.transactionalHandler(event, session));
  }
  const runTogether = (events: readonly M[]) => runTogetherOnce(events, keyOf, handling.transactionalBatchHandler);
  const runAlone = async (event: M) => {
    const [isDone] = await runTogether([event]);
    return isDone === true;
  };
  const run = async (events: readonly M[]): Promise<readonly (boolean | Error)[]> => {
    try {
      return await runTogether(events);
    } catch (error) {
      if (events.length === 1) throw error;
    }
    const results: (boolean | Error)[] = [];
    for (const event of events) results.push(await runAlone(event).catch((error: Error) => error));
    return results;
  };
  return batched(run, { maxInFlight: 1, maxBatchSize: concurrency, lingerMs: handling.lingerMs });
}

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
