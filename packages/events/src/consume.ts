import { setTimeout as pause } from 'node:timers/promises';
import type { EventType } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { AckPolicy, type ConsumerConfig, DeliverPolicy, type NatsConnection, NatsError, nanos } from 'nats';
import { type Bus, theBus } from './bus.ts';
import { type Consumption, handle, type Settled } from './handle-message.ts';

const restartWaitMs = 250;
const askAgainMs = 5_000;
const alreadyExists = new Set<number | undefined>([10_105, 10_148]);

/**
 * Runs an effect once for each event of these types, whatever is redelivered and whoever dies. Events may come in any order. A failed
 * effect is tried again after growing waits and never dropped.
 */
export function consume<T extends EventType>(consumption: Consumption<T>): void {
  const bus = theBus();
  const running = run(bus, { ackWaitMs: 5_000, atOnce: 16, ...consumption });
  bus.beforeStop(() => running);
}

async function run<T extends EventType>(bus: Bus, consumption: Settled<T>): Promise<void> {
  const { signal } = bus.stopping;
  while (!signal.aborted) {
    try {
      if (bus.connection !== undefined) await consumeFrom(bus, bus.connection, consumption);
    } catch (error) {
      bus.forgetStream();
      logger.warn({ err: error, consumer: consumption.name }, 'the consumer starts again');
    }
    await pause(restartWaitMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Returns when the connection is lost or the service stops, and throws when the consumer on the server is lost. Only as many messages
 * are asked for as can be begun at once: one that waits here would seem abandoned and be delivered elsewhere.
 */
async function consumeFrom<T extends EventType>(bus: Bus, connection: NatsConnection, consumption: Settled<T>): Promise<void> {
  await bus.ensureStream(connection);
  await ensureConsumer(bus, connection, consumption);
  const consumer = await connection.jetstream().consumers.get(bus.settings.stream, consumption.name);
  const inHand = new Set<Promise<void>>();
  const over = () => bus.connection !== connection || bus.stopping.signal.aborted;
  try {
    while (!over()) {
      const messages = await consumer.fetch({ max_messages: consumption.atOnce - inHand.size, expires: askAgainMs });
      const unsubscribe = bus.onEnd(() => messages.stop());
      for await (const message of messages) {
        const handling = handle(message, consumption).finally(() => inHand.delete(handling));
        inHand.add(handling);
      }
      unsubscribe();
      if (inHand.size >= consumption.atOnce) await Promise.race(inHand);
    }
  } finally {
    await Promise.all(inHand);
  }
}

/** Creates the durable consumer, from the first event on the stream, or brings it to these types. */
async function ensureConsumer<T extends EventType>(
  bus: Bus,
  connection: NatsConnection,
  { name, types, ackWaitMs }: Settled<T>,
): Promise<void> {
  const { consumers } = await connection.jetstreamManager({ checkAPI: false });
  const changeable: Partial<ConsumerConfig> = {
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    filter_subjects: types.map((type) => bus.subject(type)),
  };
  try {
    await consumers.add(bus.settings.stream, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ...changeable,
    });
  } catch (error) {
    if (!(error instanceof NatsError) || !alreadyExists.has(error.api_error?.err_code)) throw error;
    await consumers.update(bus.settings.stream, name, changeable);
  }
}
