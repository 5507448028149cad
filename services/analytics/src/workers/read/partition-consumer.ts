import { AckPolicy, type Consumer, DeliverPolicy, type NatsConnection, nanos } from 'nats';
import type { ViewsStream } from '../../views/views-stream.ts';

const timeoutMs = 2_000;
/** The server deletes a consumer that is unused for this long. */
const inactiveMs = 60_000;

/**
 * Creates a consumer without acks that starts at the first message stored at `from` (milliseconds since 1970) or
 * later. Also returns when the stream was created.
 */
export async function createConsumer(
  connection: NatsConnection,
  stream: ViewsStream,
  from: number,
): Promise<{ consumer: Consumer; created: string }> {
  stream.forget();
  await stream.ensure(connection);
  const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false, timeout: timeoutMs });
  const { created } = await streams.info(stream.name);
  const start =
    from > 0
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(from).toISOString() }
      : { deliver_policy: DeliverPolicy.All };
  const { name } = await consumers.add(stream.name, {
    ...start,
    ack_policy: AckPolicy.None,
    filter_subject: stream.subject,
    inactive_threshold: nanos(inactiveMs),
    mem_storage: true,
  });
  if ((await streams.info(stream.name)).created !== created) throw new Error('the stream was recreated meanwhile');
  return { consumer: await connection.jetstream().consumers.get(stream.name, name), created };
}
