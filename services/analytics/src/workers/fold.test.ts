import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { closeEvents, connectEvents } from '@webkiln/events';
import { theBus } from '@webkiln/events/streams';
import { ownStream, removeStream, withNats } from '@webkiln/events/testing';
import { scoped } from '@webkiln/store';
import { operationsOn, until, useTestStore } from '@webkiln/store/testing';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { SiteDayModel } from '../rollups/site-day-store.ts';
import { makeView } from '../testing/make-view.ts';
import { toUtcDay, type View } from '../views/view.ts';
import { ViewsStream } from '../views/views-stream.ts';
import { Deduplicator, IdSet, purgeCountedViews, WindowOffsets, windowMs } from './deduplicator.ts';
import { Fold } from './fold.ts';
import { assignPartition } from './partition.ts';
import { claimPartition, createPartitions, savePosition } from './partition-store.ts';

useTestStore();

describe('fold', () => {
  const at = Date.now();
  const recentVisitors = new RecentVisitors();
  let org_id: string;
  let site: string;
  beforeEach(() => {
    [org_id, site] = [randomUUID(), randomUUID()];
  });

  const newFold = () => new Fold({ getOwner: async (name) => (name === 'nobody' ? null : { org_id, project_id: name, user_id: 'user' }) });
  const visitor = (number: number) => String(number).padStart(16, 'v');
  const viewAt = (position: number, more: Partial<View> = {}) => ({
    view: makeView(site, { at, path: `/${position % 3}`, visitor: visitor(position), ...more }),
    position,
  });
  const views = (from: number, to: number, more: Partial<View> = {}) =>
    Array.from({ length: to - from + 1 }, (_, index) => viewAt(from + index, more));
  const findStats = () => scoped(SiteDayModel, { org_id }).findOne({ _id: `${site}/${toUtcDay(at)}` });
  const rankings = async () => {
    const { pages = '', referrers = '', devices = '' } = (await findStats()) ?? {};
    return { pages: JSON.parse(pages), referrers: JSON.parse(referrers), devices: JSON.parse(devices) };
  };
  const fold = (by: Fold, from: number, to: number) => by.fold(views(from, to), to, recentVisitors);

  test('views are counted by page, referrer and device; bots separately', async () => {
    const mixed = [
      viewAt(1),
      viewAt(2, { path: '/1', referrer: 'a.b', device: 'tablet' }),
      viewAt(3, { bot: true }),
      viewAt(4, { visitor: visitor(1) }),
    ];
    await newFold().fold([...mixed, viewAt(5, { site: 'nobody' })], 5, recentVisitors);
    expect(await findStats()).toMatchObject({ views: 3, bots: 1, uniques: 2, applied: 5 });
    expect(await rankings()).toEqual({
      pages: [['/1'], [3]],
      referrers: [
        ['', 'a.b'],
        [2, 1],
      ],
      devices: [
        ['desktop', 'tablet'],
        [2, 1],
      ],
    });
  });

  test('views that are counted again, by the same process or another, count once', async () => {
    const first = newFold();
    await fold(first, 1, 10);
    await fold(first, 1, 10);
    await fold(newFold(), 1, 10);
    await fold(newFold(), 6, 14);
    expect(await findStats()).toMatchObject({ views: 14, uniques: 14, applied: 14 });
  });

  test('a process with outdated cached records does no harm after another has counted further', async () => {
    const [stale, next] = [newFold(), newFold()];
    await fold(stale, 1, 5);
    await fold(next, 4, 9);
    await fold(stale, 6, 8);
    await fold(stale, 9, 12);
    await fold(next, 10, 12);
    await fold(next, 13, 13);
    expect(await findStats()).toMatchObject({ views: 13, uniques: 13, applied: 13 });
    expect((await rankings()).pages).toEqual([
      ['/1', '/2', '/0'],
      [5, 4, 4],
    ]);
  });

  test('two processes that count the same views at the same time count them once', async () => {
    const folds = Array.from({ length: 4 }, newFold);
    for (let from = 1; from <= 200; from += 20) await Promise.all(folds.map((by) => fold(by, from, from + 19)));
    expect(await findStats()).toMatchObject({ views: 200, uniques: 200 });
  });

  test.each([1, 2])('a batch counts once if a process crashed after writing %i of three parts', async (written) => {
    const crashing = newFold();
    await fold(crashing, 1, 3);
    const [mine, other] = [site, randomUUID()];
    await newFold().fold(views(4, 6).slice(0, written), 3 + written, recentVisitors);
    await newFold().fold([...views(4, 6), viewAt(7, { site: other })], 7, recentVisitors);
    site = mine;
    expect(await findStats()).toMatchObject({ views: 6, uniques: 6 });
  });

  test('visitors are exact up to 1,000 and within 3 % beyond, whichever process continues', async () => {
    const hashed = (number: number) => createHash('sha256').update(`${number}`).digest('base64url').slice(0, 16);
    const count = (from: number, to: number) => {
      const some = Array.from({ length: to - from + 1 }, (_, index) => viewAt(from + index, { visitor: hashed(from + index) }));
      return newFold().fold(some, to, recentVisitors);
    };
    for (let from = 1; from <= 1_000; from += 250) await count(from, from + 249);
    expect((await findStats())?.uniques).toBe(1_000);
    for (let from = 1_001; from <= 20_000; from += 1_000) await count(from, from + 999);
    expect(Math.abs(((await findStats())?.uniques ?? 0) / 20_000 - 1)).toBeLessThanOrEqual(0.03);
    const before = await findStats();
    await newFold().fold([viewAt(20_001, { visitor: hashed(7) })], 20_001, recentVisitors);
    expect((await findStats())?.uniques).toBe(before?.uniques);
  });

  test('the first 500 pages are counted by name, further ones together', async () => {
    const many = Array.from({ length: 600 }, (_, index) => viewAt(index + 1, { path: `/page-${index}` }));
    await newFold().fold(many.slice(0, 300), 300, recentVisitors);
    await newFold().fold(many.slice(300), 600, recentVisitors);
    const [names, counts] = (await rankings()).pages;
    expect([names.length, names[500], counts[500], (await findStats())?.views]).toEqual([501, '(other)', 100, 600]);
  });

  test('page names that have a meaning in MongoDB or JavaScript are counted like others', async () => {
    const odd = ['$where', '__proto__', 'a.b.c', '%', '%24', '', '\0', 'constructor', '0', '\ud800'];
    await newFold().fold(
      odd.map((path, index) => viewAt(index + 1, { path })),
      odd.length,
      recentVisitors,
    );
    await newFold().fold(
      odd.map((path, index) => viewAt(odd.length + index + 1, { path })),
      2 * odd.length,
      recentVisitors,
    );
    expect((await rankings()).pages).toEqual([odd.map((path) => path.toWellFormed()), odd.map(() => 2)]);
  });

  test('a process with a cached site-day reads nothing, and writes only what has changed', async () => {
    const by = newFold();
    await fold(by, 1, 100);
    const setBy = async (position: number, more: Partial<View>) => {
      const operations = await operationsOn('site_days', () => by.fold([viewAt(position, more)], position, recentVisitors));
      expect(operations).toHaveLength(1);
      const [{ command }] = operations as [{ command: { u?: { $set?: object } } }];
      return Object.keys(command.u?.$set ?? {});
    };
    expect(await setBy(101, { path: '/0', visitor: visitor(1) })).toEqual(
      expect.arrayContaining(['views', 'pages', 'referrers', 'devices']),
    );
    expect(await setBy(102, { bot: true })).toEqual(['applied', 'views', 'bots', 'uniques']);
  });
});

describe('deduplicator', () => {
  const event = () => randomBytes(8).toString('base64url');
  const start = 1_000 * windowMs;

  test.each([0, 1, windowMs - 1, windowMs])('an event that is repeated %i ms later is a duplicate', (laterMs) => {
    for (const offset of [0, windowMs / 2, windowMs - 1]) {
      const [deduplicator, id] = [new Deduplicator(), event()];
      expect(deduplicator.isDuplicate(id, start + offset)).toBe(false);
      expect(deduplicator.isDuplicate(id, start + offset + laterMs)).toBe(true);
    }
  });

  test('an event that is repeated more than 20 minutes later counts again', () => {
    const [deduplicator, id] = [new Deduplicator(), event()];
    deduplicator.isDuplicate(id, start);
    expect(deduplicator.isDuplicate(id, start + 2 * windowMs)).toBe(false);
  });

  test('views without an event id are not duplicates', () => {
    const deduplicator = new Deduplicator();
    expect([deduplicator.isDuplicate('', start), deduplicator.isDuplicate('', start)]).toEqual([false, false]);
  });

  test('a clock that goes back forgets no event', () => {
    const [deduplicator, id] = [new Deduplicator(), event()];
    deduplicator.isDuplicate(id, start);
    expect(deduplicator.isDuplicate(id, start - 5 * windowMs)).toBe(true);
  });

  test('a reader that starts one window earlier reaches the same decisions', () => {
    const ids = Array.from({ length: 500 }, event);
    const read = Array.from({ length: 5_000 }, (_, index) => ({ id: ids[(index * 7919) % 500] ?? '', at: start + index * 1_000 }));
    const from = start + 3 * windowMs;
    const [whole, late] = [new Deduplicator(), new Deduplicator()];
    const expected = read.map(({ id, at }) => [at, whole.isDuplicate(id, at)] as const);
    const again = read.filter(({ at }) => at >= from - windowMs).map(({ id, at }) => [at, late.isDuplicate(id, at)] as const);
    expect(again.filter(([at]) => at >= from)).toEqual(expected.filter(([at]) => at >= from));
  });

  test('an id set contains exactly the ids that were added, however much it has grown', () => {
    const set = new IdSet();
    const ids = Array.from({ length: 20_000 }, () => [randomBytes(4).readUInt32BE(), randomBytes(4).readUInt32BE()] as const);
    const [inside, outside] = [[...ids.slice(0, 10_000), [0, 0] as const, [0, 1] as const, [1, 0] as const], ids.slice(10_000)];
    for (const [high, low] of [...inside, ...inside]) set.add(high, low);
    expect(set.size).toBe(inside.length);
    expect(inside.every(([high, low]) => set.has(high, low))).toBe(true);
    expect(outside.some(([high, low]) => set.has(high, low))).toBe(false);
  });
});

describe('partition', () => {
  test('a site always has the same partition, and sites are evenly distributed', () => {
    expect(['shop', 'harbour-bakery', 'a', ''].map((site) => assignPartition(site, 8))).toEqual([1, 3, 4, 5]);
    const sites = Array.from({ length: 8000 }, (_, index) => assignPartition(`site-${index}`, 8));
    for (let partition = 0; partition < 8; partition++) {
      const share = sites.filter((used) => used === partition).length;
      expect(share).toBeGreaterThan(800);
      expect(share).toBeLessThan(1200);
    }
  });
});

describe('window offsets', () => {
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
});
