import { until } from '@webkiln/store/testing';
import { AckPolicy, NatsError } from 'nats';
import { findBus, theBus } from '../bus.ts';
import { closeEvents, connectEvents } from '../connection.ts';
import { NatsServer } from '../testing/nats-server.ts';
import { ownStream, removeStream, withNats } from '../testing/template-records.ts';
import { readParts, TurnStream } from './turn-stream.ts';

describe('a stream of turns', () => {
  const turnId = 'turn-1';
  const { signal } = new AbortController();
  let nats: NatsServer;
  let stream: TurnStream;

  beforeEach(async () => {
    nats = await NatsServer.notYetStarted();
    await nats.start();
    await connectEvents(nats.url, 'test');
    await until(() => findBus()?.connection !== undefined);
    stream = new TurnStream(theBus());
    await stream.publish(turnId, 1, '"a part"');
  });
  afterEach(async () => {
    await closeEvents();
    await nats.remove();
  });

  const refusalOf = (asked: Promise<unknown>) => asked.then(() => undefined).catch((error) => error);

  test('asking for a turn while NATS hangs is `unavailable`, which callers see as 503', async () => {
    await nats.pause();
    const asked = await Promise.all([stream.read(turnId, 0, signal), stream.hasRest(turnId, 1)].map(refusalOf));
    expect(asked).toMatchObject([{ code: 'unavailable' }, { code: 'unavailable' }]);
  });

  test('asking for a turn while this process stops is `unavailable`', async () => {
    await nats.pause();
    const asked = [stream.read(turnId, 0, signal), stream.hasRest(turnId, 1)].map(refusalOf);
    await closeEvents();
    expect(await Promise.all([...asked, refusalOf(stream.read(turnId, 0, signal))])).toMatchObject([
      { code: 'unavailable' },
      { code: 'unavailable' },
      { code: 'unavailable' },
    ]);
  });

  test('asking for a turn that NATS has lost with its disk is `unavailable` until there is a stream again', async () => {
    await nats.kill();
    nats.empty();
    await nats.start();
    let refusal: { code?: string; cause?: unknown } = {};
    await until(async () => {
      refusal = await refusalOf(stream.read(turnId, 0, signal));
      const said = refusal.cause ?? refusal;
      return said instanceof NatsError && said.api_error !== undefined;
    });
    expect(refusal).toMatchObject({ code: 'unavailable' });
  });
});

describe('a reader of parts', () => {
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
});
