import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { type NatsCluster, startNatsCluster } from '@webkiln/events/testing/nats-cluster';
import { until } from '@webkiln/store/testing';
import { DailySalts } from '../salts/daily-salts.ts';
import { decodeMessage, encodeMessage, encodeView, messageFrameBytes, type View } from './view.ts';
import { ViewsStream } from './views-stream.ts';

describe('replicas', () => {
  let cluster: NatsCluster;
  beforeAll(async () => {
    cluster = await startNatsCluster();
  });
  afterEach(closeEvents);
  afterAll(() => cluster.remove());

  const bucket = 'VIEWS_salts';
  const now = Date.UTC(2026, 10, 21, 12);
  const started = async (replicas: number) => {
    await connectEvents(cluster.url, 'test', { replicas });
    await until(() => theBus().connection !== undefined);
  };
  const visitor = async () => {
    const salts = new DailySalts({ bus: theBus(), bucket, now: () => now });
    await until(() => salts.getIdentifier(now) !== undefined);
    await salts.refresh();
    return salts.getIdentifier(now)?.identify('shop', '192.0.2.1', 'agent').id;
  };
  const replicas = () =>
    withNats(async (connection) => {
      const { streams } = await connection.jetstreamManager();
      return Promise.all(['VIEWS', `KV_${bucket}`].map(async (stream) => (await streams.info(stream)).config.num_replicas));
    }, cluster.url);

  test('the streams of views and of salts get the replicas that are set, and the salt of the day stays', async () => {
    await started(1);
    // As earlier releases made it.
    await withNats((connection) => connection.jetstream().views.kv(bucket, { ttl: 26 * 3600_000, allow_direct: false }), cluster.url);
    await withNats((connection) => new ViewsStream(theBus(), { maxBytes: 1024 ** 2 }).ensure(connection), cluster.url);
    const before = await visitor();
    expect(await replicas()).toEqual([1, 1]);
    await closeEvents();
    await started(3);
    await withNats((connection) => new ViewsStream(theBus(), { maxBytes: 1024 ** 2 }).ensure(connection), cluster.url);
    expect(await visitor()).toBe(before);
    expect(await replicas()).toEqual([3, 3]);
  });
});

describe('view', () => {
  const view: View = {
    site: 'shop',
    at: 1_790_000_000_000,
    path: '/ü "quoted" \\ \u2028',
    referrer: 'news.example',
    device: 'mobile',
    browser: 'Firefox',
    system: 'Android',
    country: 'PT',
    source: 'letter',
    medium: 'mail',
    campaign: 'spring',
    bot: false,
    visitor: 'abcdefghijklmnop',
    event: '',
  };

  test('decoding a message returns its views in order', () => {
    const views = [view, { ...view, bot: true, event: 'abcdefghijk' }, { ...view, referrer: '' }];
    expect(decodeMessage(encodeMessage(views.map(encodeView)))).toEqual(views);
  });

  test('views of an earlier release, which tell less, are decoded', () => {
    const rows = JSON.parse(`[${encodeView(view)}]`) as unknown[][];
    const message = encodeMessage(rows.map((row) => JSON.stringify(row.slice(0, 8))));
    const unknown = { browser: '', system: '', country: '', source: '', medium: '', campaign: '' };
    expect(decodeMessage(message)).toEqual([{ ...view, ...unknown }]);
  });

  test('a message can be decoded for some sites only', () => {
    const shop = [view, { ...view, path: '/two' }];
    const other = { ...view, site: 'shop-2', path: '/["shop"]' };
    const message = encodeMessage([shop.map(encodeView).join(','), encodeView(other)]);
    expect(decodeMessage(message, (site) => site === 'shop')).toEqual(shop);
    expect(decodeMessage(message, (site) => site === 'shop-2')).toEqual([other]);
    expect(decodeMessage(message, () => false)).toEqual([]);
  });

  test('the size of a message is the sum of its views, separators and frame', () => {
    const encoded = [encodeView(view), encodeView(view)];
    const bytes = encoded.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(Buffer.byteLength(encodeMessage(encoded))).toBe(bytes + 1 + messageFrameBytes);
  });

  test.each(['{"v":1,"views":[]}', '3\n', '', '[]', 'views', '2\nviews'])('%s is not a message', (message) => {
    expect(() => decodeMessage(message)).toThrow();
  });
});

describe('views stream', () => {
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
});
