import type { Consumer } from 'nats';

/**
 * True if NATS has sent a consumer without acknowledgements more than the `delivered` messages that arrived. The next
 * message shows that by its sequence; for the last one of a stream only this does. Ask after a fetch that brought none.
 */
export async function hasLostMessage(consumer: Consumer, delivered: number): Promise<boolean> {
  return (await consumer.info()).delivered.consumer_seq !== delivered;
}
