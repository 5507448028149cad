import { type EventEnvelope, type EventStream, type EventType, streamOf } from '@webkiln/messages';
import { counter, currentTraceparent, logger, withSpan } from '@webkiln/runtime';
import type { OutboxEntry, PublishedEvents, WaitingRecord } from '@webkiln/store';
import { ErrorCode, headers, type JetStreamClient, type NatsConnection, NatsError } from 'nats';
import type { Bus } from '../bus.ts';
import { isStreamMissing } from '../nats-failures.ts';
import type { EventBudget } from './event-budget.ts';

const ackTimeoutMs = 2_000;

const publishedTotal = counter({
  name: 'webkiln_events_published_total',
  help: 'Events that the stream acknowledged',
  labelNames: ['type'],
});

/** The outcome of a batch of records. */
export interface Outcome {
  readonly published: readonly PublishedEvents[];
  /** The types of events that their streams refused. */
  readonly refused: ReadonlySet<EventType>;
  /** The organizations of which an event waits because they have none left. */
  readonly paced: ReadonlySet<string>;
}

interface Publishing {
  readonly bus: Bus;
  readonly connection: NatsConnection;
  readonly budget: EventBudget;
  /** The ids of events that the stream has already. */
  readonly published: ReadonlySet<string>;
}

/** Publishes the records' events, records in parallel; calls `progress` after each. */
export async function publishWaiting(publishing: Publishing, records: readonly WaitingRecord[], progress: () => void): Promise<Outcome> {
  const batch = new Batch(publishing);
  const published = await Promise.all(records.map((record) => batch.publishInOrder(record, progress)));
  batch.noteRefusals();
  return { published: published.filter(({ ids }) => ids.length > 0), refused: batch.refused, paced: batch.paced };
}

class Batch {
  readonly refused = new Set<EventType>();
  readonly paced = new Set<string>();
  readonly #bus: Bus;
  readonly #connection: NatsConnection;
  readonly #jetstream: JetStreamClient;
  readonly #budget: EventBudget;
  readonly #published: ReadonlySet<string>;
  readonly #refusals = new Map<EventStream, unknown[]>();

  constructor({ bus, connection, budget, published }: Publishing) {
    this.#bus = bus;
    this.#connection = connection;
    this.#jetstream = connection.jetstream({ timeout: ackTimeoutMs });
    this.#budget = budget;
    this.#published = published;
  }

  /** Keeps the order of each stream: after an event that is not acknowledged, only events of other streams follow. */
  async publishInOrder(record: WaitingRecord, progress: () => void): Promise<PublishedEvents> {
    const ids: string[] = [];
    const waiting = new Set<EventStream>();
    for (const entry of record.outbox) {
      const stream = streamOf(entry.type);
      if (waiting.has(stream)) continue;
      if (await this.#isPublished(stream, record.org_id, entry)) ids.push(entry.id);
      else waiting.add(stream);
      progress();
    }
    return { record, ids };
  }

  /** Our own events, such as revocations, are not paced. */
  async #isPublished(stream: EventStream, org_id: string, entry: OutboxEntry): Promise<boolean> {
    if (this.#published.has(entry.id)) return true;
    const counts = !entry.type.startsWith('internal.');
    if (counts && !(await this.#budget.take(org_id))) {
      this.paced.add(org_id);
      return false;
    }
    try {
      await this.#bus.streams[stream].ensure(this.#connection);
      await publish(this.#bus, this.#jetstream, org_id, entry);
      return true;
    } catch (error) {
      if (counts) this.#budget.giveBack(org_id);
      this.refused.add(entry.type);
      const errors = this.#refusals.get(stream) ?? [];
      this.#refusals.set(stream, errors);
      errors.push(error);
      return false;
    }
  }

  noteRefusals(): void {
    for (const [stream, errors] of this.#refusals) {
      if (errors.some(isStreamMissing)) this.#bus.streams[stream].forget();
      noteRefusals(stream, errors);
    }
  }
}

async function publish(bus: Bus, jetstream: JetStreamClient, org_id: string, { traceparent, data, ...entry }: OutboxEntry): Promise<void> {
  const event: Omit<EventEnvelope, 'data'> = { ...entry, org_id, api_version: 'v1' };
  const subject = bus.subject(entry.type);
  const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject, 'messaging.message.id': entry.id };
  await withSpan(`publish ${entry.type}`, { kind: 'producer', attributes, parent: traceparent }, async () => {
    const added = headers();
    const context = currentTraceparent() ?? traceparent;
    if (context !== undefined) added.set('traceparent', context);
    await jetstream.publish(subject, `${JSON.stringify(event).slice(0, -1)},"data":${data}}`, { msgID: entry.id, headers: added });
  });
  publishedTotal.inc({ type: entry.type });
}

const logIntervalMs = 60_000;
/** JetStream's "maximum bytes exceeded", "insufficient resources" and "insufficient storage resources available". */
const noRoom = new Set<number | undefined>([10_077, 10_023, 10_047]);

export const refusedTotal = counter({
  name: 'webkiln_events_refused_total',
  help: 'Attempts to publish an event that its stream did not acknowledge; the event waits in its outbox',
  labelNames: ['stream', 'reason'],
});

type Reason = 'full' | 'silent' | 'failed';

/** Sentences for the log: the failure, what happens next, and what an operator can do. */
const sentences: Readonly<Record<Reason, (stream: EventStream) => string>> = {
  full: (stream) =>
    `the stream ${stream} has no room: its events wait in their outboxes and are published when there is. ` +
    `Find the consumer that is behind (webkiln_stream_unacknowledged_seconds), or raise ${stream}_STREAM_MB or the disk of NATS`,
  silent: (stream) =>
    `the stream ${stream} does not acknowledge events: they wait in their outboxes. ` +
    'If NATS runs and this goes on, its disk may be full: make room and restart NATS',
  failed: (stream) => `the stream ${stream} did not take events: they wait in their outboxes`,
};

const loggedAt = new Map<string, number>();

/** Counts what a stream refused, and logs it once a minute: while a stream is full, each second brings more. */
function noteRefusals(stream: EventStream, errors: readonly unknown[]): void {
  const [err] = errors;
  const reason = errors.some(isNoRoom) ? 'full' : errors.some(isTimeout) ? 'silent' : 'failed';
  refusedTotal.inc({ stream, reason }, errors.length);
  const now = performance.now();
  if (now - (loggedAt.get(`${stream} ${reason}`) ?? Number.NEGATIVE_INFINITY) < logIntervalMs) return;
  loggedAt.set(`${stream} ${reason}`, now);
  logger[reason === 'full' ? 'error' : 'warn']({ err, stream, records: errors.length }, sentences[reason](stream));
}

const isNoRoom = (error: unknown) => error instanceof NatsError && noRoom.has(error.api_error?.err_code);
const isTimeout = (error: unknown) => error instanceof NatsError && error.code === ErrorCode.Timeout;
