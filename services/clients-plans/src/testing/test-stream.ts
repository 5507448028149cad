import type { EventEnvelope, EventType } from '@webkiln/messages';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { connect, type NatsConnection } from 'nats';

export interface TestStream {
  readonly stream: string;
  readonly subjectPrefix: string;
}

/** All events of a type on the stream, oldest first, once the outboxes are empty. */
export async function published<T extends EventType>({ stream }: TestStream, type: T): Promise<EventEnvelope<T>[]> {
  await outboxesEmpty();
  return withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    const { state } = await streams.info(stream);
    const events: EventEnvelope[] = [];
    for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq += 1) {
      events.push((await streams.getMessage(stream, { seq })).json<EventEnvelope>());
    }
    return events.filter((event) => event.type === type) as EventEnvelope<T>[];
  });
}

/** Waits until a consumer has handled every raised event, except as many as cannot be handled yet. */
export async function allHandled({ stream }: TestStream, durable: string, unhandled = 0): Promise<void> {
  await outboxesEmpty();
  await withNats(async (connection) => {
    const { consumers } = await connection.jetstreamManager();
    await until(async () => {
      const { num_pending, num_ack_pending } = await consumers.info(stream, durable);
      return num_pending + num_ack_pending <= unhandled;
    });
  });
}

/** Removes the stream if it exists; the first event creates it. */
export const removeStream = ({ stream }: TestStream): Promise<void> =>
  withNats(async (connection) => {
    const { streams } = await connection.jetstreamManager();
    for await (const name of streams.names()) if (name === stream) await streams.delete(stream);
  });

const outboxesEmpty = () =>
  until(async () => (await mongoose.connection.collection('clients').countDocuments({ 'outbox.timestamp': { $exists: true } })) === 0);

async function withNats<T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: process.env.NATS_URL });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
