import type { EventEnvelope } from '@webkiln/contract';
import { counter, currentTraceparent, logger, withSpan } from '@webkiln/runtime';
import type { OutboxEntry, PublishedEvents, WaitingRecord } from '@webkiln/store';
import { headers, type JetStreamClient, type NatsConnection } from 'nats';
import type { Bus } from './bus.ts';
import { isStreamMissing } from './publish-failures.ts';

const ackWithinMs = 2_000;

const publishedTotal = counter({
  name: 'webkiln_events_published_total',
  help: 'Events that the stream acknowledged',
  labelNames: ['type'],
});

/** Publishes what the records hold, records side by side; returns of which records which events are on the stream. */
export async function publishWaiting(bus: Bus, connection: NatsConnection, records: readonly WaitingRecord[]): Promise<PublishedEvents[]> {
  await bus.stream.ensure(connection);
  const stream = connection.jetstream({ timeout: ackWithinMs });
  const failures: unknown[] = [];
  const published = await Promise.all(records.map((record) => publishInOrder(bus, stream, record, failures)));
  if (failures.length > 0) {
    if (failures.some(isStreamMissing)) bus.stream.forget();
    logger.warn({ err: failures[0], records: failures.length }, 'the stream did not take events: they wait in their outboxes');
  }
  return published.filter(({ ids }) => ids.length > 0);
}

/** Ends at the first event that is not acknowledged: the later ones wait behind it. */
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
