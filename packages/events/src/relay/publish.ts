import { type EventEnvelope, type EventStream, streamOf } from '@webkiln/messages';
import { counter, currentTraceparent, withSpan } from '@webkiln/runtime';
import type { OutboxEntry, PublishedEvents, WaitingRecord } from '@webkiln/store';
import { headers, type JetStreamClient, type NatsConnection } from 'nats';
import type { Bus } from '../bus.ts';
import { isStreamMissing } from '../publish-failures.ts';
import { noteRefusals } from './refusals.ts';

const ackTimeoutMs = 2_000;

const publishedTotal = counter({
  name: 'webkiln_events_published_total',
  help: 'Events that the stream acknowledged',
  labelNames: ['type'],
});

type Refusals = Map<EventStream, unknown[]>;

/** Publishes the records' events, records in parallel; returns the published events by record. */
export async function publishWaiting(bus: Bus, connection: NatsConnection, records: readonly WaitingRecord[]): Promise<PublishedEvents[]> {
  const jetstream = connection.jetstream({ timeout: ackTimeoutMs });
  const refusals: Refusals = new Map();
  const attempt = async (org_id: string, entry: OutboxEntry) => {
    await bus.streams[streamOf(entry.type)].ensure(connection);
    await publish(bus, jetstream, org_id, entry);
  };
  const published = await Promise.all(records.map((record) => publishInOrder(record, attempt, refusals)));
  for (const [stream, errors] of refusals) {
    if (errors.some(isStreamMissing)) bus.streams[stream].forget();
    noteRefusals(stream, errors);
  }
  return published.filter(({ ids }) => ids.length > 0);
}

/**
 * Keeps the order of each stream: after an event that is not acknowledged, only events of other streams follow.
 */
async function publishInOrder(
  record: WaitingRecord,
  attempt: (org_id: string, entry: OutboxEntry) => Promise<void>,
  refusals: Refusals,
): Promise<PublishedEvents> {
  const ids: string[] = [];
  const refusing = new Set<EventStream>();
  for (const entry of record.outbox) {
    const stream = streamOf(entry.type);
    if (refusing.has(stream)) continue;
    try {
      await attempt(record.org_id, entry);
      ids.push(entry.id);
    } catch (error) {
      refusing.add(stream);
      const errors = refusals.get(stream) ?? [];
      refusals.set(stream, errors);
      errors.push(error);
    }
  }
  return { record, ids };
}

async function publish(bus: Bus, jetstream: JetStreamClient, org_id: string, { traceparent, ...entry }: OutboxEntry): Promise<void> {
  const event = { ...entry, org_id, api_version: 'v1' } as EventEnvelope;
  const subject = bus.subject(entry.type);
  const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject, 'messaging.message.id': entry.id };
  await withSpan(`publish ${entry.type}`, { kind: 'producer', attributes, parent: traceparent }, async () => {
    const added = headers();
    const context = currentTraceparent() ?? traceparent;
    if (context !== undefined) added.set('traceparent', context);
    await jetstream.publish(subject, JSON.stringify(event), { msgID: entry.id, headers: added });
  });
  publishedTotal.inc({ type: entry.type });
}
