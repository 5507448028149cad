import { AckPolicy } from 'nats';
import { ownStream, removeStream, withNats } from '../testing/template-records.ts';
import { readParts } from './turn-reader.ts';

const { stream } = ownStream();

afterAll(() => removeStream(stream));

test('a part that NATS sent and that did not arrive ends the reader, although no other one follows', async () => {
  await withNats(async (connection) => {
    const { streams, consumers } = await connection.jetstreamManager();
    await streams.add({ name: stream, subjects: [stream] });
    const { name } = await consumers.add(stream, { ack_policy: AckPolicy.None, mem_storage: true });
    const consumer = await connection.jetstream().consumers.get(stream, name);
    for (const part of ['first', 'last']) await connection.jetstream().publish(stream, part);
    await consumer.next({ expires: 60_000 });
    await consumer.next({ expires: 60_000 });
    const read = readParts(consumer, new AbortController().signal);
    await expect(read.next()).rejects.toThrow('a part was lost between NATS and its reader');
  });
});
