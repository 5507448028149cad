import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { until, useTestStore } from '@webkiln/store/testing';
import { ViewsStream } from '../views/views-stream.ts';
import { purgeCountedViews, WindowOffsets, windowMs } from './deduplicator.ts';
import { claimPartition, createPartitions, savePosition } from './partition-store.ts';

useTestStore();
const { stream: name, ...own } = ownStream();
beforeAll(() => connectEvents(process.env.NATS_URL ?? '', 'test', own));
afterAll(closeEvents);
afterAll(() => removeStream(name));

const partitions = 2;
const countedTo = (partition: string, window: number) => savePosition(partition, 'worker', { position: window, at: window * windowMs });

test('messages that a partition may still need stay on the stream; messages that none needs are purged', async () => {
  const stream = new ViewsStream(theBus(), { name, maxBytes: 1024 ** 2 });
  await until(() => theBus().connection !== undefined);
  // Partition 2 remains from a larger number of partitions.
  await createPartitions(partitions + 1);
  for (const partition of ['0', '1', '2']) await claimPartition(partition, 'worker', new Date(), new Date());
  await withNats(async (connection) => {
    await stream.ensure(connection);
    const offsets = new WindowOffsets();
    // One message per window, so its sequence is the window's number.
    for (let window = 1; window <= 9; window++) {
      await connection.jetstream().publish(stream.subject, 'views');
      offsets.note({ at: window * windowMs, sequence: window });
    }
    const first = async () => (await (await connection.jetstreamManager()).streams.info(name)).state.first_seq;
    await countedTo('0', 9);
    await purgeCountedViews(stream, partitions, offsets);
    expect(await first()).toBe(1);
    await countedTo('1', 5);
    await purgeCountedViews(stream, partitions, offsets);
    expect(await first()).toBe(3);
    await countedTo('1', 9);
    await purgeCountedViews(stream, partitions, offsets);
    expect(await first()).toBe(7);
  });
});
