import { withNats } from '@webkiln/events/testing';
import { until, withinOneDay } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { partitions, useViews } from '../testing/counted-views.ts';
import { SyntheticViews } from '../testing/synthetic-views.ts';
import { viewOf } from '../testing/view-of.ts';
import { allPartitions } from './partition-store.ts';

const { publish, start, allCounted, siteDay, stream, org_id } = useViews();

beforeEach(() => withinOneDay());

const viewsOf = async (site: string) => (await siteDay(site))?.views;
const owners = async () => (await allPartitions()).map(({ owner }) => owner);

test('a repeat of an event counts once, also when another worker goes on in between', async () => {
  const view = viewOf('repeated', { event: 'aaaaaaaaaaa' });
  const stop = start();
  await publish([view, view]);
  await publish([view]);
  await allCounted();
  await stop();
  start();
  await publish([view, viewOf('repeated', { event: 'bbbbbbbbbbb' })]);
  await allCounted();
  expect(await viewsOf('repeated')).toBe(2);
});

test('everything that is still on the stream may be counted again: nothing changes', async () => {
  const sites = ['again-1', 'again-2', 'again-3'];
  const synthetic = new SyntheticViews({ seed: 3, sites: sites.map((name) => ({ name, visitors: 1_500 })) });
  const stop = start();
  await publish(synthetic.next(3_000));
  await allCounted();
  await stop();
  const before = await Promise.all(sites.map(siteDay));
  expect(before.map((figures) => figures?.views)).toEqual(sites.map((site) => synthetic.expected.get(site)?.views));
  await mongoose.connection.collection('partitions').updateMany({}, { $set: { position: 0, at: 0 } });
  start();
  await allCounted();
  expect(await Promise.all(sites.map(siteDay))).toEqual(before);
});

test('a stream that was lost and made anew is counted on, though it counts from 1 again', async () => {
  start();
  await publish(Array.from({ length: 50 }, () => viewOf('lost')));
  await allCounted();
  await withNats(async (connection) => (await connection.jetstreamManager()).streams.delete(stream().name));
  stream().forget();
  await publish([viewOf('lost'), viewOf('lost')]);
  await until(async () => (await viewsOf('lost')) === 52);
});

test('views whose owner nobody knows for the moment wait, and are counted then', async () => {
  let asked = 0;
  start({
    ownerOf: async (name) => {
      asked++;
      if (asked < 4) throw new Error('nobody is there');
      return { org_id, project_id: name, user_id: 'user' };
    },
  });
  await publish([viewOf('patient')]);
  await until(async () => (await viewsOf('patient')) === 1);
  expect(asked).toBeGreaterThanOrEqual(4);
});

test('workers share the partitions evenly, and those of one that stops are taken over at once', async () => {
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

test('with another number of partitions, once the old ones are forgotten, everything still counts once', async () => {
  const sites = Array.from({ length: 8 }, (_, index) => `moved-${index}`);
  const each = () => sites.map((site) => viewOf(site));
  const stop = start();
  await publish(each());
  await allCounted();
  await stop();
  await publish(each());
  const kept = mongoose.connection.collection('partitions');
  await kept.deleteMany({});
  const stopFewer = start({ count: 3 });
  await publish(each());
  for (const site of sites) await until(async () => (await viewsOf(site)) === 3);
  await stopFewer();
  await kept.deleteMany({});
});

test('what counts on the last half hour is kept by the minute, with who is there', async () => {
  start();
  const minute = Math.floor(Date.now() / 60_000);
  const [now, earlier] = [minute * 60_000, (minute - 1) * 60_000];
  await publish([viewOf('live', { at: earlier }), viewOf('live', { at: now }), viewOf('live', { at: now, visitor: 'other-visitor-01' })]);
  await allCounted();
  const { recent = {} } = (await siteDay('live')) ?? {};
  expect(Object.values(recent).toSorted(([a], [b]) => a - b)).toEqual([
    [minute - 1, 1, 0],
    [minute, 2, 2],
  ]);
});
