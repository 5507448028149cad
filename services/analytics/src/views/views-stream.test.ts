import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { ViewsStream } from './views-stream.ts';

const { stream: name, ...own } = ownStream();
beforeAll(() => connectEvents(process.env.NATS_URL ?? '', 'test', own));
afterAll(closeEvents);
afterAll(() => removeStream(name));

test('views are kept on disk for seven days, and new views never displace old ones', async () => {
  await withNats(async (connection) => {
    const views = new ViewsStream(theBus(), { name, maxBytes: 1024 ** 2 });
    await views.ensure(connection);
    const { config } = await (await connection.jetstreamManager()).streams.info(name);
    expect(config).toMatchObject({ storage: 'file', discard: 'new', retention: 'limits', max_bytes: 1024 ** 2 });
    expect([config.max_age, config.duplicate_window]).toEqual([7 * 24 * 3600e9, 120e9]);
    await connection.jetstream().publish(views.subject, 'view');
  });
});

test('a new size is applied to the existing stream, and its messages stay', async () => {
  await withNats(async (connection) => {
    await new ViewsStream(theBus(), { name, maxBytes: 2 * 1024 ** 2 }).ensure(connection);
    const { config, state } = await (await connection.jetstreamManager()).streams.info(name);
    expect([config.max_bytes, state.messages]).toEqual([2 * 1024 ** 2, 1]);
  });
});

test('platforms that share one NATS have separate streams of views', () => {
  const { name, subject } = new ViewsStream(theBus(), { maxBytes: 1024 ** 2 });
  expect([name, subject]).toEqual([`${own.subjectPrefix}VIEWS`, `${own.subjectPrefix}views`]);
});
