import { setTimeout as pause } from 'node:timers/promises';
import { theBus } from '@webkiln/events/streams';
import { withNats } from '@webkiln/events/testing';
import { nextDayTimeoutMs, until, withinOneDay } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { end, partitions, useViews } from '../testing/counted-views.ts';
import { makeView } from '../testing/make-view.ts';
import { type Expected, SyntheticViews } from '../testing/synthetic-views.ts';
import { encodeMessage, encodeView } from '../views/view.ts';
import { findPartitions } from './partition-store.ts';
import { viewsBehind } from './partition-worker.ts';
import { PartitionReader } from './reader.ts';

describe('workers', () => {
  const { publish, publishTexts, start, allCounted, siteDay, stream, org_id } = useViews();

  beforeEach(() => withinOneDay(), nextDayTimeoutMs);

  const viewsOf = async (site: string) => (await siteDay(site))?.views;
  const owners = async () => (await findPartitions()).map(({ owner }) => owner);

  test('a repeated event counts once, also if another worker takes over in between', async () => {
    const view = makeView('repeated', { event: 'aaaaaaaaaaa' });
    const stop = start();
    await publish([view, view]);
    await publish([view]);
    await allCounted();
    await stop();
    start();
    await publish([view, makeView('repeated', { event: 'bbbbbbbbbbb' })]);
    await allCounted();
    expect(await viewsOf('repeated')).toBe(2);
  });

  test('everything still on the stream can be counted again without a change', async () => {
    const sites = ['again-1', 'again-2', 'again-3'];
    const synthetic = new SyntheticViews({ seed: 3, sites: sites.map((name) => ({ name, visitors: 1_500 })) });
    const stop = start();
    await publish(synthetic.next(3_000));
    await allCounted();
    await stop();
    const before = await Promise.all(sites.map(siteDay));
    expect(before.map((stats) => stats?.views)).toEqual(sites.map((site) => synthetic.expected.get(site)?.views));
    await mongoose.connection.collection('partitions').updateMany({}, { $set: { position: 0, at: 0 } });
    start();
    await allCounted();
    expect(await Promise.all(sites.map(siteDay))).toEqual(before);
  });

  test('a stream that was lost and recreated is counted on, although its sequences restart at 1', async () => {
    start();
    await publish(Array.from({ length: 50 }, () => makeView('lost')));
    await allCounted();
    await withNats(async (connection) => (await connection.jetstreamManager()).streams.delete(stream().name));
    stream().forget();
    await publish([makeView('lost'), makeView('lost')]);
    await until(async () => (await viewsOf('lost')) === 52);
  });

  test('views wait while the lookup of their owner fails, and are counted afterwards', async () => {
    let lookups = 0;
    start({
      getOwner: async (name) => {
        lookups++;
        if (lookups < 4) throw new Error('lookup failed');
        return { org_id, project_id: name, user_id: 'user' };
      },
    });
    await publish([makeView('patient')]);
    await until(async () => (await viewsOf('patient')) === 1);
    expect(lookups).toBeGreaterThanOrEqual(4);
  });

  test('a worker that stands still shows how far it is behind, is started again, and counts every view once', async () => {
    const lag = async () => {
      const { values } = await viewsBehind.get();
      return Math.max(...values.map(({ value }) => value));
    };
    let lookups = 0;
    start({
      maxSilenceMs: 2_000,
      getOwner: async (name) => {
        if (++lookups <= 2) await new Promise(() => undefined);
        return { org_id, project_id: name, user_id: 'user' };
      },
    });
    await publish([makeView('stuck')]);
    await until(async () => lookups > 0 && (await lag()) > 0);
    const before = await lag();
    await until(async () => (await lag()) > before);
    await until(async () => (await viewsOf('stuck')) === 1);
    await allCounted();
    await until(async () => (await lag()) === 0);
    expect(lookups).toBeGreaterThanOrEqual(3);
  });

  test('workers share the partitions evenly, and those of a stopped worker are taken over at once', async () => {
    const stop = start();
    await until(async () => new Set(await owners()).size === 1 && (await owners()).every((owner) => owner !== null));
    start();
    start();
    const shares = async () => {
      const all = await owners();
      return [...new Set(all)].map((owner) => all.filter((each) => each === owner).length);
    };
    await until(
      async () => (await owners()).every((owner) => owner !== null) && (await shares()).length === 3 && Math.max(...(await shares())) === 2,
    );
    await stop();
    await until(async () => (await owners()).every((owner) => owner !== null) && (await shares()).length === 2);
    expect((await owners()).length).toBe(partitions);
  });

  test('with another number of partitions, after the old ones are deleted, everything still counts once', async () => {
    const sites = Array.from({ length: 8 }, (_, index) => `moved-${index}`);
    const each = () => sites.map((site) => makeView(site));
    const stop = start();
    await publish(each());
    await allCounted();
    await stop();
    await publish(each());
    const collection = mongoose.connection.collection('partitions');
    await collection.deleteMany({});
    const stopFewer = start({ count: 3 });
    await publish(each());
    for (const site of sites) await until(async () => (await viewsOf(site)) === 3);
    await stopFewer();
    await collection.deleteMany({});
  });

  test('views that cannot be read are set aside once, and all others are counted, of the same message too', async () => {
    start();
    const [one, other] = [encodeView(makeView('readable-1')), encodeView(makeView('readable-2'))];
    const notViews = ['', 'nonsense', '1\nof an older format', '2\n["broken-1"', '2\n["broken-2",{}]'];
    await publishTexts([...notViews, encodeMessage([one, '["broken-3",1]', other]), encodeMessage([one])]);
    await allCounted();
    expect([await viewsOf('readable-1'), await viewsOf('readable-2')]).toEqual([2, 1]);
    const letters = await mongoose.connection.collection('dead_letters').find({ consumer: 'analytics-views' }).toArray();
    expect(letters.map(({ text }) => text).toSorted()).toEqual([...notViews, '2\n["broken-3",1]'].toSorted());
  });

  test('views of the last half hour are kept per minute, with the visitors present', async () => {
    start();
    const minute = Math.floor(Date.now() / 60_000);
    const [now, earlier] = [minute * 60_000, (minute - 1) * 60_000];
    await publish([
      makeView('live', { at: earlier }),
      makeView('live', { at: now }),
      makeView('live', { at: now, visitor: 'other-visitor-01' }),
    ]);
    await allCounted();
    const { recent = {} } = (await siteDay('live')) ?? {};
    expect(Object.values(recent).toSorted(([a], [b]) => a - b)).toEqual([
      [minute - 1, 1, 0],
      [minute, 2, 2],
    ]);
  });
});

describe('kills', () => {
  const { publish, startProcess, allCounted, siteDay } = useViews();

  /** Statistics are per day. */
  beforeAll(() => withinOneDay(200_000), nextDayTimeoutMs);

  const exactSites = Array.from({ length: 12 }, (_, index) => `small-${index}`);
  const largeSite = 'large';

  async function expectStats(site: string, { views, bots, pages }: Expected): Promise<void> {
    const stats = await siteDay(site);
    expect([site, stats?.views, stats?.bots]).toEqual([site, views, bots]);
    const [names, counts]: [string[], number[]] = JSON.parse(stats?.pages ?? '');
    expect(Object.fromEntries(names.map((name, rank) => [name, counts[rank]]))).toEqual(Object.fromEntries(pages));
  }

  test('20,000 views with repeats count exactly once while workers are killed and paused again and again', async () => {
    const small = new SyntheticViews({ seed: 1, sites: exactSites.map((name) => ({ name, visitors: 600 })) });
    const large = new SyntheticViews({ seed: 2, sites: [{ name: largeSite, visitors: 8_000 }] });
    const workers = [await startProcess(), await startProcess()];
    const pieces = Array.from({ length: 10 }, (_, piece) => piece);
    for (const piece of pieces) {
      await Promise.all([publish(small.next(1_000)), publish(large.next(1_000))]);
      const victim = workers[piece % 2];
      if (victim === undefined) continue;
      if (piece % 3 === 2) {
        // Long enough for another worker to take over. The paused one resumes with its outdated cache.
        victim.kill('SIGSTOP');
        await pause(6_000);
        victim.kill('SIGCONT');
      } else {
        await pause(Math.floor(Math.random() * 800));
        await end(victim, 'SIGKILL');
        workers[piece % 2] = await startProcess();
      }
    }
    await allCounted();
    for (const [site, expected] of [...small.expected, ...large.expected]) await expectStats(site, expected);
    for (const [site, { visitors }] of small.expected) expect([site, (await siteDay(site))?.uniques]).toEqual([site, visitors.size]);
    const uniques = (await siteDay(largeSite))?.uniques ?? 0;
    const exact = large.expected.get(largeSite)?.visitors.size ?? 0;
    expect(Math.abs(uniques / exact - 1)).toBeLessThanOrEqual(0.03);
  });
});

describe('reader', () => {
  const { publish, stream } = useViews();
  const batch = { batchWaitMs: 1, maxViews: 100 };
  const run = { signal: new AbortController().signal, progress: () => undefined };

  test('a message that NATS sent and that did not arrive is missed, although no other one follows', async () => {
    const { connection } = theBus();
    if (connection === undefined) throw new Error('NATS is disconnected');
    const reader = await PartitionReader.open(theBus(), connection, stream(), { isOwnSite: () => true, from: 0, run });
    await publish([makeView('first')]);
    expect((await reader.next(batch)).flatMap(({ views }) => views.map(({ site }) => site))).toEqual(['first']);
    await withNats(async (other) => {
      const { consumers } = await other.jetstreamManager();
      const [only] = await consumers.list(stream().name).next();
      await publish([makeView('last')]);
      await (await other.jetstream().consumers.get(stream().name, only?.name)).next({ expires: 5_000 });
    });
    await expect(reader.next(batch)).rejects.toThrow('the consumer lost a message');
    await reader.close();
  });
});
