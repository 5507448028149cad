import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@webkiln/runtime';
import { AckPolicy, type ConsumerConfig, DeliverPolicy, type JsMsg, type NatsConnection, NatsError, nanos } from 'nats';
import type { Bus } from './bus.ts';
import { InHand } from './in-hand.ts';
import type { KeptStream } from './stream.ts';

const restartWaitMs = 250;
const askAgainMs = 5_000;
const alreadyExists = new Set<number | undefined>([10_105, 10_148]);

/** A durable consumer as it stands on the server, and how a process takes from it. */
export interface Durable {
  name: string;
  stream: KeptStream;
  subjects: readonly string[];
  /** After how many milliseconds of silence a process counts as dead and its messages go to another. */
  ackWaitMs: number;
  /** How many messages a process has in hand at most. */
  atOnce: number;
  /** More are asked for when there is room for so many. */
  leastRoom: number;
  /** How many may be under way or put off over all processes, where the server's own limit (1,000) does not do. */
  underWayMost?: number;
}

/** Begins each message of a durable consumer until the service stops, through outages of NATS. `begin` never rejects. */
export async function runDurable(bus: Bus, durable: Durable, begin: (message: JsMsg) => Promise<void>): Promise<void> {
  const { signal } = bus.stopping;
  while (!signal.aborted) {
    try {
      if (bus.connection !== undefined) await consumeFrom(bus, bus.connection, durable, begin);
    } catch (error) {
      durable.stream.forget();
      logger.warn({ err: error, consumer: durable.name }, 'the consumer starts again');
    }
    await pause(restartWaitMs, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Returns when the connection is lost or the service stops, and throws when the consumer on the server is lost. Only as many messages
 * are asked for as can be begun at once: one that waits here would seem abandoned and be delivered elsewhere.
 */
async function consumeFrom(
  bus: Bus,
  connection: NatsConnection,
  durable: Durable,
  begin: (message: JsMsg) => Promise<void>,
): Promise<void> {
  await durable.stream.ensure(connection);
  await ensureConsumer(connection, durable);
  const consumer = await connection.jetstream().consumers.get(durable.stream.name, durable.name);
  const inHand = new InHand(durable.atOnce);
  const over = () => bus.connection !== connection || bus.stopping.signal.aborted;
  try {
    while (!over()) {
      const messages = await consumer.fetch({ max_messages: inHand.room, expires: askAgainMs });
      const unsubscribe = bus.onEnd(() => messages.stop());
      for await (const message of messages) inHand.add(begin(message));
      unsubscribe();
      await inHand.hasRoom(durable.leastRoom);
    }
  } finally {
    await inHand.hasRoom(durable.atOnce);
  }
}

/** Creates the durable consumer, from the first message on the stream, or brings it to these subjects. */
async function ensureConsumer(connection: NatsConnection, { name, stream, subjects, ackWaitMs, underWayMost }: Durable): Promise<void> {
  const { consumers } = await connection.jetstreamManager({ checkAPI: false });
  const changeable: Partial<ConsumerConfig> = {
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    filter_subjects: [...subjects],
    ...(underWayMost !== undefined && { max_ack_pending: underWayMost }),
  };
  try {
    await consumers.add(stream.name, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ...changeable,
    });
  } catch (error) {
    if (!(error instanceof NatsError) || !alreadyExists.has(error.api_error?.err_code)) throw error;
    await consumers.update(stream.name, name, changeable);
  }
}
