import { streamWith, withNats } from '@webkiln/events/testing';
import type { EventEnvelope, EventType } from '@webkiln/messages';
import { until } from '@webkiln/store/testing';
import mongoose from 'mongoose';

export interface TestStream {
  readonly stream: string;
  readonly subjectPrefix: string;
}

/** All events of a type on the stream, oldest first, once the outboxes are empty. */
export async function published<T extends EventType>(options: TestStream, type: T): Promise<EventEnvelope<T>[]> {
  await outboxesEmpty();
  const stream = streamWith(options, type);
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

/** Waits until a consumer has handled every raised event of the types, except as many as cannot be handled yet. */
export async function allHandled(options: TestStream, durable: string, types: readonly EventType[], unhandled = 0): Promise<void> {
  await outboxesEmpty();
  await withNats(async (connection) => {
    const { consumers } = await connection.jetstreamManager();
    const waitingOn = async (type: EventType) => {
      const { num_pending, num_ack_pending } = await consumers.info(streamWith(options, type), durable);
      return num_pending + num_ack_pending;
    };
    await until(async () => (await Promise.all(types.map(waitingOn))).reduce((sum, count) => sum + count, 0) <= unhandled);
  });
}

const raising = ['clients', 'plans', 'subscriptions', 'orders', 'billing_accounts', 'billing_details'];

const outboxesEmpty = () => until(async () => (await Promise.all(raising.map(waiting))).every((count) => count === 0));

const waiting = (collection: string) =>
  mongoose.connection.collection(collection).countDocuments({ 'outbox.timestamp': { $exists: true } });
