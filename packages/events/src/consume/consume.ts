import type { EventType } from '@webkiln/messages';
import { theBus } from '../bus.ts';
import type { FireAndForgetStream, StreamMessage } from '../fire-and-forget-stream.ts';
import type { PersistentStream } from '../persistent-stream.ts';
import { runDurable } from './durable-consumer.ts';
import { type Consumption, type Handling, handle, handleText, type Settled, type Subscription } from './handle-message.ts';
import { OrganizationTurns } from './organization-turns.ts';
import type { Message } from './read-message.ts';
import { runnerOf } from './run-once.ts';

/** Many messages that wait for their next attempt must not block the others. */
const maxAckPending = 16_384;
const defaultConcurrency = 16;

/**
 * Runs a handler once for each event of these types, through redeliveries and crashes. Events may come in any order. A
 * failed handler is retried with exponential backoff; an event that fails for too long, or cannot be read, becomes a
 * dead letter. Each stream that has such events gets a durable consumer of this name.
 */
export function consume<T extends EventType>({ types, ...consumption }: Consumption<T>): void {
  const turns = turnsOf(consumption);
  for (const { stream, subjects } of theBus().sources(types)) run(stream, subjects, consumption, turns);
}

/** The same for the messages of a fire-and-forget stream, as long as they are kept. */
export function consumeStream<M extends StreamMessage>(stream: FireAndForgetStream<M>, consumption: Subscription & Handling<M>): void {
  run(stream, stream.subjects, consumption);
}

const turnsOf = ({ perOrganization, concurrency = defaultConcurrency }: Subscription): OrganizationTurns | undefined =>
  perOrganization === undefined ? undefined : new OrganizationTurns({ concurrency, perOrganization });

function run<M extends Message>(
  stream: PersistentStream,
  subjects: readonly string[],
  consumption: Subscription & Handling<M>,
  turns?: OrganizationTurns,
): void {
  const bus = theBus();
  const { name, ackWaitMs = 5_000, concurrency = defaultConcurrency, retryForMs = bus.giveUp.retryForMs } = consumption;
  const { maxHandlingMs } = bus.giveUp;
  const runOnce = runnerOf(name, consumption, concurrency);
  const settled: Settled<M> = { ...consumption, ackWaitMs, retryForMs, maxHandlingMs, runOnce };
  const onEnd = () => turns?.sendBackWaiting();
  // A batch ends at once: then the next one is requested, not its first message.
  const minRoom = 'transactionalBatchHandler' in consumption ? Math.ceil(concurrency / 4) : 1;
  const durable = { name, stream, subjects, ackWaitMs, concurrency: turns?.maxHeld ?? concurrency, minRoom, maxAckPending, onEnd };
  bus.replays.set(name, (text) => handleText(text, settled));
  const running = runDurable(bus, durable, (message) => handle(message, settled, turns));
  bus.beforeStop(() => running);
}
