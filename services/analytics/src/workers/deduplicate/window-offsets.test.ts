import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { until, useTestStore } from '@webkiln/store/testing';
import { ViewsStream } from '../views/views-stream.ts';
import { GenerationStarts } from './generation-starts.ts';
import { claimPartition, makePartitions, savePosition } from './partition-store.ts';
import { purgeCounted } from './purge-counted.ts';
import { generationMs } from './repeats.ts';

useTestStore();
const { stream: name, ...own } = ownStream();
beforeAll(() => connectEvents(process.env.NATS_URL ?? '', 'test', own));
afterAll(closeEvents);
afterAll(() => removeStream(name));

const partitions = 2;
const countedTo = (partition: string, generation: number) =>
  savePosition(partition, 'worker', { position: generation, at: generation * generationMs });

test('what one of the partitions may need stays on the stream, and what none needs goes', async () => {
  const stream = new ViewsStream(theBus(), { name, maxBytes: 1024 ** 2 });
  await until(() => theBus().connection !== undefined);
  // One that is left over from when there were more.
  await makePartitions(partitions + 1);
  for (const partition of ['0', '1', '2']) await claimPartition(partition, 'worker', new Date(), new Date());
  await withNats(async (connection) => {
    await stream.ensure(connection);
    const starts = new GenerationStarts();
    // One message in each generation: the sequence is its number.
    for (let generation = 1; generation <= 9; generation++) {
      await connection.jetstream().publish(stream.subject, 'views');
      starts.note({ at: generation * generationMs, sequence: generation });
    }
    const first = async () => (await (await connection.jetstreamManager()).streams.info(name)).state.first_seq;
    await countedTo('0', 9);
    await purgeCounted(stream, partitions, starts);
    expect(await first()).toBe(1);
    await countedTo('1', 5);
    await purgeCounted(stream, partitions, starts);
    expect(await first()).toBe(3);
    await countedTo('1', 9);
    await purgeCounted(stream, partitions, starts);
    expect(await first()).toBe(7);
  });
});
