import { logger, type Run, repeat, Semaphore } from '@webkiln/runtime';
import { AckPolicy, type ConsumerConfig, DeliverPolicy, type JsMsg, type NatsConnection, NatsError, nanos } from 'nats';
import type { Bus } from '../bus.ts';
import { type PersistentStream, TooFewServers, widened } from '../persistent-stream.ts';

const restartDelayMs = 250;
/** Messages come at once; only a request that the server has lost, without the connection, waits for its end. */
const fetchTimeoutMs = 20_000;
const newerRetryMs = 2_000;
const handlersCheckMs = 5_000;
const alreadyExists = new Set<number | undefined>([10_105, 10_148]);

/** A durable consumer's configuration on the server, and how a process reads from it. */
interface Durable {
  name: string;
  stream: PersistentStream;
  subjects: readonly string[];
  /** After this silence a process counts as dead, and its messages go to another. */
  ackWaitMs: number;
  /** The maximum number of messages in flight in a process. */
  concurrency: number;
  /** More messages are requested when there is room for this many. */
  minRoom: number;
  /** The maximum number of unacknowledged messages over all processes. */
  maxAckPending: number;
  /** Called when no more messages come, before those that have begun are awaited. */
  onEnd?: () => void;
}

/**
 * Starts handling each message of a durable consumer until the service stops, through outages of NATS. `handle` never
 * rejects. Messages that it has not ended are kept from other processes.
 */
export function runDurable(bus: Bus, durable: Durable, handle: (message: JsMsg) => Promise<void>): Promise<void> {
  const begin = keptAlive(durable.ackWaitMs, handle);
  const consume = async (run: Run) => {
    if (bus.connection !== undefined) await consumeFrom(bus, bus.connection, durable, begin, run);
  };
  const onFailure = (error: unknown) => {
    if (error instanceof TooFewServers) return;
    durable.stream.forget();
    logger.warn({ err: error, consumer: durable.name }, 'consumer failed; starting it again');
  };
  const worker = `consumer ${durable.name} of ${durable.stream.name}`;
  return repeat(consume, { worker, signal: bus.stopping.signal, delayMs: restartDelayMs, onFailure });
}

/** Tells the server of all messages in flight that they are, by one timer, which runs while there are some. */
function keptAlive(ackWaitMs: number, handle: (message: JsMsg) => Promise<void>) {
  const inFlight = new Set<JsMsg>();
  let timer: NodeJS.Timeout | undefined;
  const tell = () => {
    for (const message of inFlight) message.working();
  };
  return async (message: JsMsg) => {
    timer ??= setInterval(tell, ackWaitMs / 3);
    inFlight.add(message);
    await handle(message);
    inFlight.delete(message);
    if (inFlight.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * Returns when the connection is lost or the service stops, and throws when the consumer on the server is lost. It
 * requests only as many messages as it can start at once: a message that waits here would be redelivered elsewhere.
 */
async function consumeFrom(
  bus: Bus,
  connection: NatsConnection,
  durable: Durable,
  begin: (message: JsMsg) => Promise<void>,
  run: Run,
): Promise<void> {
  await durable.stream.ensure(connection);
  await ensureConsumer(connection, durable);
  const consumer = await connection.jetstream().consumers.get(durable.stream.name, durable.name);
  const slots = new Semaphore({ permits: durable.concurrency });
  const over = () => bus.connection !== connection || run.signal.aborted;
  try {
    while (!over()) {
      // Raises the replicas of the stream once NATS has enough servers.
      await durable.stream.ensure(connection);
      run.progress();
      const messages = await consumer.fetch({ max_messages: slots.free, expires: fetchTimeoutMs });
      const unsubscribe = bus.onEnd(() => messages.stop());
      for await (const message of messages) void slots.run(async () => (isOwn(durable, message) ? begin(message) : leaveToNewer(message)));
      unsubscribe();
      run.progress();
      await goingOn(slots.whenFree(durable.minRoom), run);
    }
  } finally {
    durable.onEnd?.();
    await goingOn(slots.whenFree(durable.concurrency), run);
  }
}

/** Waits for handlers, which have a limit of their own: that is no silence. */
async function goingOn(handled: Promise<void>, { progress }: Run): Promise<void> {
  const timer = setInterval(progress, handlersCheckMs);
  try {
    await handled;
  } finally {
    clearInterval(timer);
  }
}

/** A stream's own wildcard takes all of it. */
const isOwn = ({ subjects }: Durable, { subject }: JsMsg) => subjects.some((own) => own === subject || own.endsWith('>'));

/** Only a process of a newer release, which added the subject, knows what to do. After a rollback its messages wait. */
const leaveToNewer = (message: JsMsg) => message.nak(newerRetryMs);

/**
 * Creates the durable consumer, from the first message on the stream, or updates it; it has the stream's replicas. Its
 * subjects only become more: a process of the release before, which starts beside a newer one, keeps what the newer one
 * added.
 */
async function ensureConsumer(connection: NatsConnection, durable: Durable): Promise<void> {
  const { name, stream, subjects, ackWaitMs, maxAckPending } = durable;
  const { consumers } = await connection.jetstreamManager({ checkAPI: false });
  const changeable: Partial<ConsumerConfig> = {
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    max_ack_pending: maxAckPending,
  };
  try {
    await consumers.add(stream.name, {
      durable_name: name,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      filter_subjects: [...subjects],
      ...changeable,
    });
  } catch (error) {
    if (!(error instanceof NatsError) || !alreadyExists.has(error.api_error?.err_code)) throw error;
    const { config } = await consumers.info(stream.name, name);
    const filter_subjects = widened(config.filter_subjects ?? [config.filter_subject ?? []].flat(), subjects);
    await consumers.update(stream.name, name, { ...changeable, ...(filter_subjects && { filter_subjects }) });
    // Another process may have updated it from what it read before.
    if (filter_subjects !== undefined) await ensureConsumer(connection, durable);
  }
}
