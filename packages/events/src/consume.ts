import type { EventType } from '@webkiln/contract';
import { theBus } from './bus.ts';
import { runDurable } from './durable.ts';
import { type Consumption, type Handling, handle, type Message, type Subscription } from './handle-message.ts';
import type { LossyMessage, LossyStream } from './lossy-stream.ts';
import type { KeptStream } from './stream.ts';

/**
 * Runs an effect once for each event of these types, whatever is redelivered and whoever dies. Events may come in any order. A failed
 * effect is tried again after growing waits and never dropped.
 */
export function consume<T extends EventType>({ types, ...consumption }: Consumption<T>): void {
  const bus = theBus();
  run(
    bus.stream,
    types.map((type) => bus.subject(type)),
    consumption,
  );
}

/** The same for each message of a lossy stream that is still there. */
export function consumeStream<M extends LossyMessage>(stream: LossyStream<M>, consumption: Subscription & Handling<M>): void {
  run(stream, stream.subjects, consumption);
}

function run<M extends Message>(stream: KeptStream, subjects: readonly string[], consumption: Subscription & Handling<M>): void {
  const bus = theBus();
  const settled = { ackWaitMs: 5_000, atOnce: 16, ...consumption };
  const { name, ackWaitMs, atOnce } = settled;
  const running = runDurable(bus, { name, stream, subjects, ackWaitMs, atOnce, leastRoom: 1 }, (message) => handle(message, settled));
  bus.beforeStop(() => running);
}
