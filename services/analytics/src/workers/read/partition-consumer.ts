import { AckPolicy, type Consumer, DeliverPolicy, type NatsConnection, nanos } from 'nats';
import type { ViewsStream } from '../views/views-stream.ts';

const answerWithinMs = 2_000;
/** The server drops a consumer that nobody has asked for so long. */
const inactiveMs = 60_000;

/**
 * A consumer of the stream that acknowledges nothing, from the first message that the stream took at `from` (milliseconds since 1970) or
 * later; and when the stream that it reads was made.
 */
export async function consumerOf(
  connection: NatsConnection,
  stream: ViewsStream,
  from: number,
): Promise<{ consumer: Consumer; created: string }> {
  stream.forget();
  await stream.ensure(connection);
  const { streams, consumers } = await connection.jetstreamManager({ checkAPI: false, timeout: answerWithinMs });
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
  if ((await streams.info(stream.name)).created !== created) throw new Error('the stream was made anew meanwhile');
  return { consumer: await connection.jetstream().consumers.get(stream.name, name), created };
}
