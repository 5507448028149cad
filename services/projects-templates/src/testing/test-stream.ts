import { randomBytes } from 'node:crypto';
import { withNats } from '@webkiln/events/testing';
import type { EventEnvelope } from '@webkiln/messages';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';

/** Options for `connectEvents`: a private stream on the real NATS. */
export interface TestStream {
  readonly stream: string;
  readonly subjectPrefix: string;
}

export function newTestStream(): TestStream {
  const name = `test_${randomBytes(6).toString('hex')}`;
  return { stream: name, subjectPrefix: `${name}_` };
}

/** All published events of an organization, in order. Waits until every outbox is empty. */
export async function publishedEvents({ stream }: TestStream, orgId: string): Promise<EventEnvelope[]> {
  await until(async () => (await waiting('projects')) + (await waiting('templates')) === 0);
  return withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    const { state } = await streams.info(stream);
    const events: EventEnvelope[] = [];
    for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq++) {
      events.push((await streams.getMessage(stream, { seq })).json<EventEnvelope>());
    }
    return events.filter(({ org_id }) => org_id === orgId);
  });
}

export const removeStream = ({ stream }: TestStream) =>
  withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    await streams.delete(stream);
  });

const waiting = (collection: string) =>
  mongoose.connection.collection(collection).countDocuments({ 'outbox.timestamp': { $exists: true } });
