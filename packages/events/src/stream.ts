import { DiscardPolicy, type NatsConnection, NatsError, nanos, RetentionPolicy, StorageType, type StreamConfig } from 'nats';

export interface StreamSettings {
  readonly stream: string;
  readonly prefix: string;
  readonly maxBytes: number;
}

const dayMs = 24 * 3600_000;
const otherConfiguration = 10_058;

/** Creates the stream of all events, or brings it to this configuration. */
export const ensureStream = (connection: NatsConnection, { stream, prefix, maxBytes }: StreamSettings): Promise<void> =>
  createOrUpdateStream(connection, stream, {
    subjects: [`${prefix}events.>`, `${prefix}internal.>`],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_age: nanos(7 * dayMs),
    max_bytes: maxBytes,
    duplicate_window: nanos(10 * 60_000),
  });

/** Creates a stream, or brings it to this configuration; who comes first does it, the others find it. */
export async function createOrUpdateStream(connection: NatsConnection, name: string, config: Partial<StreamConfig>): Promise<void> {
  const manager = await connection.jetstreamManager({ timeout: 2_000 });
  try {
    await manager.streams.add({ name, ...config });
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.err_code !== otherConfiguration) throw error;
    await manager.streams.update(name, config);
  }
}
