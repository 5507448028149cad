import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventEnvelope, WebhookEvent } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { AckPolicy, DeliverPolicy, type NatsConnection, NatsError, nanos } from 'nats';
import { type Bus, theBus } from './bus.ts';

const restartWaitMs = 250;
const answerWithinMs = 2_000;
const askAgainMs = 5_000;
const atOnce = 32;
/** The server drops a consumer that nobody has asked for so long; the next one begins where it ended. */
const inactiveMs = 5 * 60_000;
const streamMissing = 10_059;

interface Follower {
  readonly types: readonly WebhookEvent[];
  readonly heard: (event: EventEnvelope, json: string) => Promise<void>;
  /** The first sequence of the stream that was not heard yet. */
  next: number;
}

/**
 * Hears every organization's events of these types from this moment on, in the stream's order and one at a time, through outages of
 * NATS, until the process ends: nothing is kept on the server. `json` is the event as it stands on the stream. An event whose handling
 * fails is heard again. Resolves when the moment is fixed, which takes NATS, or when `closeEvents` ends the wait.
 */
export async function follow(types: readonly WebhookEvent[], heard: Follower['heard']): Promise<void> {
  const bus = theBus();
  const next = await firstAfterNow(bus);
  if (next === undefined) return;
  const running = run(bus, { types, heard, next });
  bus.beforeStop(() => running);
}

async function firstAfterNow(bus: Bus): Promise<number | undefined> {
  const { signal } = bus.stopping;
  while (!signal.aborted) {
    try {
      if (bus.connection === undefined) await once(bus, 'up', { signal });
      if (bus.connection !== undefined) return (await lastOn(bus, bus.connection)) + 1;
    } catch (error) {
      logger.warn({ err: error }, 'the stream does not answer');
      await pause(restartWaitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}

/** The sequence of the newest message; 0 while nobody has made the stream. */
async function lastOn({ settings }: Bus, connection: NatsConnection): Promise<number> {
  const { streams } = await connection.jetstreamManager({ checkAPI: false, timeout: answerWithinMs });
  try {
    return (await streams.info(settings.stream)).state.last_seq;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === streamMissing) return 0;
    throw error;
  }
}

async function run(bus: Bus, follower: Follower): Promise<void> {
  const { signal } = bus.stopping;
  while (!signal.aborted) {
    try {
      if (bus.connection !== undefined) await followOn(bus, bus.connection, follower);
    } catch (error) {
      logger.warn({ err: error }, 'following starts again');
    }
    await pause(restartWaitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Returns when the connection is lost, the process ends, or a message is missing between two that came: the next consumer makes up for it. */
async function followOn(bus: Bus, connection: NatsConnection, follower: Follower): Promise<void> {
  const { stream } = bus.settings;
  // Behind what was heard: NATS came back with an empty disk, and counts from 1 again.
  if ((await lastOn(bus, connection)) < follower.next - 1) follower.next = 1;
  const { consumers } = await connection.jetstreamManager({ checkAPI: false, timeout: answerWithinMs });
  const { name } = await consumers.add(stream, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: follower.next,
    filter_subjects: follower.types.map((type) => bus.subject(type)),
    inactive_threshold: nanos(inactiveMs),
    mem_storage: true,
  });
  const consumer = await connection.jetstream().consumers.get(stream, name);
  let over = false;
  let stop = () => {};
  const unsubscribe = bus.onEnd(() => {
    over = true;
    stop();
  });
  try {
    for (let delivered = 0; !over; ) {
      const messages = await consumer.fetch({ max_messages: atOnce, expires: askAgainMs });
      stop = () => messages.stop();
      if (over) stop();
      for await (const message of messages) {
        if (over || message.info.deliverySequence !== delivered + 1) return;
        await follower.heard(message.json<EventEnvelope>(), message.string());
        delivered += 1;
        follower.next = message.seq + 1;
      }
    }
  } finally {
    unsubscribe();
    stop();
  }
}
