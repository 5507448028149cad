import type { EventEnvelope } from '@webkiln/messages';
import { counter, currentTraceparent, logger, withSpan } from '@webkiln/runtime';
import type { OutboxEntry, PublishedEvents, WaitingRecord } from '@webkiln/store';
import { headers, type JetStreamClient, type NatsConnection } from 'nats';
import type { Bus } from '../bus.ts';
import { isStreamMissing } from '../publish-failures.ts';

const ackTimeoutMs = 2_000;

const publishedTotal = counter({
  name: 'webkiln_events_published_total',
  help: 'Events that the stream acknowledged',
  labelNames: ['type'],
});

/** Publishes the records' events, records in parallel; returns the published events by record. */
export async function publishWaiting(bus: Bus, connection: NatsConnection, records: readonly WaitingRecord[]): Promise<PublishedEvents[]> {
  await bus.stream.ensure(connection);
  const stream = connection.jetstream({ timeout: ackTimeoutMs });
  const failures: unknown[] = [];
  const published = await Promise.all(records.map((record) => publishInOrder(bus, stream, record, failures)));
  if (failures.length > 0) {
    if (failures.some(isStreamMissing)) bus.stream.forget();
    logger.warn({ err: failures[0], records: failures.length }, 'the stream refused events; they stay in their outboxes');
  }
  return published.filter(({ ids }) => ids.length > 0);
}

/** Stops at the first event that is not acknowledged, to keep the order. */
async function publishInOrder(bus: Bus, stream: JetStreamClient, record: WaitingRecord, failures: unknown[]): Promise<PublishedEvents> {
  const ids: string[] = [];
  try {
    for (const entry of record.outbox) {
      await publish(bus, stream, record.org_id, entry);
      ids.push(entry.id);
    }
  } catch (error) {
    failures.push(error);
  }
  return { record, ids };
}

async function publish(bus: Bus, stream: JetStreamClient, org_id: string, { traceparent, ...entry }: OutboxEntry): Promise<void> {
  const event = { ...entry, org_id, api_version: 'v1' } as EventEnvelope;
  const subject = bus.subject(entry.type);
  const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': subject, 'messaging.message.id': entry.id };
  await withSpan(`publish ${entry.type}`, { kind: 'producer', attributes, parent: traceparent }, async () => {
    const added = headers();
    const context = currentTraceparent() ?? traceparent;
    if (context !== undefined) added.set('traceparent', context);
    await stream.publish(subject, JSON.stringify(event), { msgID: entry.id, headers: added });
  });
  publishedTotal.inc({ type: entry.type });
}
