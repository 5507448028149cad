import { once } from 'node:events';
import type { WebhookEvent } from '@webkiln/contract';
import type { EventEnvelope } from '@webkiln/messages';
import { logger, type Run, repeat, retry } from '@webkiln/runtime';
import { AckPolicy, DeliverPolicy, type NatsConnection, NatsError, nanos } from 'nats';
import { type Bus, theBus } from '../bus.ts';
import { hasLostMessage } from '../nats-failures.ts';
import type { PersistentStream } from '../persistent-stream.ts';

const restartDelayMs = 250;
const requestTimeoutMs = 2_000;
const fetchTimeoutMs = 10_000;
const concurrency = 32;
/** The server deletes a consumer that is idle for this long; the next one continues from `next`. */
const inactiveMs = 5 * 60_000;
const streamMissing = 10_059;

type Handle = (event: EventEnvelope, json: string) => Promise<void>;

interface Follower {
  readonly stream: string;
  readonly subjects: string[];
  readonly handle: Handle;
  /** The first stream sequence that was not handled yet. */
  next: number;
}

/**
 * Handles every organization's events of these types from now on, in the order of each stream and one at a time of
 * each, through outages of NATS and until the process ends. The server keeps no state. `json` is the event's exact
 * text. An event whose handler fails is handled again. Resolves when the start positions are known, which needs NATS,
 * or when `closeEvents` is called.
 */
export async function follow(types: readonly WebhookEvent[], handle: Handle): Promise<void> {
  const bus = theBus();
  const followStream = async ({ stream: { name: stream }, subjects }: { stream: PersistentStream; subjects: string[] }) => {
    const next = await firstAfterNow(bus, stream);
    if (next === undefined) return;
    const running = run(bus, { stream, subjects, handle, next });
    bus.beforeStop(() => running);
  };
  await Promise.all(bus.sources(types).map(followStream));
}

/** Undefined if the service stops first. */
async function firstAfterNow(bus: Bus, stream: string): Promise<number | undefined> {
  const { signal } = bus.stopping;
  const attempt = async () => {
    while (bus.connection === undefined) await once(bus, 'up', { signal });
    return (await lastOn(bus.connection, stream)) + 1;
  };
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'the event stream does not answer; asking again');
  return retry(attempt, { delayMs: restartDelayMs, signal, onFailure }).catch(() => undefined);
}

/** The sequence of the newest message; 0 if the stream does not exist yet. */
async function lastOn(connection: NatsConnection, stream: string): Promise<number> {
  const { streams } = await connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
  try {
    return (await streams.info(stream)).state.last_seq;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === streamMissing) return 0;
    throw error;
  }
}

function run(bus: Bus, follower: Follower): Promise<void> {
  const followOnce = async (run: Run) => {
    if (bus.connection !== undefined) await followOn(bus, bus.connection, follower, run);
  };
  const onFailure = (error: unknown) => logger.warn({ err: error }, 'following the event stream failed; starting again');
  const { giveUp, stopping } = bus;
  const worker = `reader of ${follower.stream}`;
  return repeat(followOnce, { worker, maxSilenceMs: giveUp.maxHandlingMs, signal: stopping.signal, delayMs: restartDelayMs, onFailure });
}

/**
 * Returns when the connection is lost, the process stops, or a gap in the sequence appears: the next consumer fills it.
 */
async function followOn(bus: Bus, connection: NatsConnection, follower: Follower, run: Run): Promise<void> {
  const { stream } = follower;
  // The stream is behind what was handled: NATS restarted with an empty disk and counts from 1 again.
  if ((await lastOn(connection, stream)) < follower.next - 1) follower.next = 1;
  const { consumers } = await connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
  const { name } = await consumers.add(stream, {
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: follower.next,
    filter_subjects: follower.subjects,
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
    for (let delivered = 0; !over && !run.signal.aborted; ) {
      run.progress();
      const messages = await consumer.fetch({ max_messages: concurrency, expires: fetchTimeoutMs });
      stop = () => messages.stop();
      if (over) stop();
      const before = delivered;
      for await (const message of messages) {
        if (over || run.signal.aborted || message.info.deliverySequence !== delivered + 1) return;
        await follower.handle(message.json<EventEnvelope>(), message.string());
        if (run.signal.aborted) return;
        run.progress();
        delivered += 1;
        follower.next = message.seq + 1;
      }
      if (delivered === before && !over && (await hasLostMessage(consumer, delivered))) return;
    }
  } finally {
    unsubscribe();
    stop();
  }
}
