import type { EventEnvelope } from '@webkiln/messages';
import { connect, type JetStreamClient } from 'nats';

const stream = 'EVENTS';

/** Reads every event on the platform's stream, in stream order. */
export async function readEvents(natsUrl: string): Promise<EventEnvelope[]> {
  const connection = await connect({ servers: natsUrl });
  try {
    const { streams } = await connection.jetstreamManager();
    const { state } = await streams.info(stream);
    return state.messages === 0 ? [] : await readAll(connection.jetstream());
  } finally {
    await connection.close();
  }
}

async function readAll(jetstream: JetStreamClient): Promise<EventEnvelope[]> {
  const events: EventEnvelope[] = [];
  const consumer = await jetstream.consumers.get(stream);
  for await (const message of await consumer.consume()) {
    events.push(message.json<EventEnvelope>());
    if (message.info.pending === 0) break;
  }
  return events;
}
