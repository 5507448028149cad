import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { connectTo, startReplica } from '@webkiln/rpc/testing';
import { testCaller, useTestStore, withinOneDay } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { closeDays, closeOrgDay, findOrgDays, findStaleDays, markStale, saveOrgDay } from '../rollups/org-day-store.ts';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { deleteSite } from '../rollups/site-day-store.ts';
import { makeView } from '../testing/make-view.ts';
import { dayMs, startOfDay, toUtcDay } from '../views/view.ts';
import { Fold } from '../workers/fold.ts';
import { getAnalytics } from './get-analytics.ts';

useTestStore();

let noon: number;
const recentVisitors = new RecentVisitors();
const daysAgo = (days: number) => toUtcDay(noon, -days);
let org_id: string;
let sites: string[];
beforeEach(async () => {
  await withinOneDay();
  noon = startOfDay(toUtcDay(Date.now())) + dayMs / 2;
  org_id = randomUUID();
  sites = [randomUUID(), randomUUID(), randomUUID()];
  // The last closed day is shared by all organizations.
  for (const name of ['closed_days', 'site_days', 'org_days']) await mongoose.connection.collection(name).deleteMany({});
});

const fold = new Fold({ getOwner: async (name) => ({ org_id, project_id: name, user_id: 'user' }) });
let position = 0;

/** Counts views of a site at noon, `days` days ago, each by a new visitor. */
async function countViews(site: string | undefined, count: number, days: number, path = '/'): Promise<void> {
  const views = Array.from({ length: count }, () => {
    const visitor = randomUUID().slice(0, 16);
    return { view: makeView(site ?? '', { at: noon - days * dayMs, path, device: 'mobile', visitor }), position: ++position };
  });
  await fold.fold(views, position, recentVisitors);
}

/** The organization's statistics as a caller gets them. */
async function getStats(days: number, project_id?: string) {
  const { analytics } = await getAnalytics.run({ days, project_id }, testCaller(org_id));
  if (analytics === undefined || analytics === null) throw new Error('no analytics');
  return analytics;
}

const daily = async (days: number) => (await getStats(days)).dailyViews?.map(({ views }) => views);
const findClosedSums = async () =>
  (await findOrgDays({ org_id }, daysAgo(400), daysAgo(0))).map(({ day, views, uniques }) => [day, views, uniques]);

test('a year of an organization is the sum of its sites, whether or not its days are closed', async () => {
  for (const [index, days] of [364, 200, 1, 0].entries()) {
    for (const [place, site] of sites.entries()) await countViews(site, 1 + index + place, days, `/page-${place}`);
  }
  const open = await getStats(365);
  await closeDays(noon);
  expect(await getStats(365)).toEqual(open);
  expect(open).toMatchObject({
    totalViews: 42,
    uniqueVisitors: 42,
    topPages: [{ path: '/page-2', views: 18 }, { views: 14 }, { views: 10 }],
  });
  expect((await findClosedSums()).map(([day]) => day)).toEqual([daysAgo(364), daysAgo(200), daysAgo(1)]);
});

test('a day is complete before and after it is closed, and days out of range are left out', async () => {
  await countViews(sites[0], 2, 3);
  await countViews(sites[1], 3, 2);
  await countViews(sites[0], 4, 0);
  for (let round = 0; round < 2; round++) {
    expect(await daily(5)).toEqual([0, 2, 3, 0, 4]);
    expect(await daily(3)).toEqual([3, 0, 4]);
    expect(await daily(1)).toEqual([4]);
    await closeDays(noon);
  }
});

test('a view that is counted on a closed day soon appears in the sums', async () => {
  await countViews(sites[0], 2, 1);
  await closeDays(noon);
  expect(await findClosedSums()).toEqual([[daysAgo(1), 2, 2]]);
  await countViews(sites[0], 1, 1);
  await countViews(sites[1], 1, 5);
  await closeDays(noon);
  expect(await daily(7)).toEqual([0, 1, 0, 0, 0, 3, 0]);
  expect(await findStaleDays()).toEqual([]);
});

test('sums that were computed before a view was counted are discarded', async () => {
  const firstMark = await markStale({ org_id }, [daysAgo(1)]);
  const newerMark = await markStale({ org_id }, [daysAgo(1)]);
  const sum = { day: daysAgo(1), views: 2, bots: 0, uniques: 1, pages: '[[],[]]', referrers: '[[],[]]', devices: '[[],[]]' };
  await saveOrgDay({ org_id }, sum, firstMark);
  expect([await findClosedSums(), await findStaleDays()]).toEqual([[[daysAgo(1), 0, 0]], [{ org_id, day: daysAgo(1) }]]);
  await saveOrgDay({ org_id }, sum, newerMark);
  expect([await findClosedSums(), await findStaleDays()]).toEqual([[[daysAgo(1), 2, 1]], []]);
});

test('closing a day twice changes nothing', async () => {
  await countViews(sites[0], 2, 1);
  await closeDays(noon);
  const once = await findClosedSums();
  await closeOrgDay(org_id, daysAgo(1));
  expect(await findClosedSums()).toEqual(once);
});

test('the statistics of a deleted site disappear, also from the sums', async () => {
  await countViews(sites[0], 2, 1);
  await countViews(sites[1], 3, 1);
  await closeDays(noon);
  await markStale({ org_id }, await deleteSite({ org_id }, sites[0] ?? ''));
  await closeDays(noon);
  expect(await findClosedSums()).toEqual([[daysAgo(1), 3, 3]]);
});

test("a project's statistics are only for callers who may see it; others get project_not_found", async () => {
  const [mine = '', other = ''] = sites;
  await using replica = await startReplica({
    'projects.GetProject': async ({ project_id }, { principal }) => {
      if (project_id !== mine || principal.org_id !== org_id) throw new AppError('project_not_found');
      return {};
    },
  });
  await using _peers = connectTo('carried', [replica.port]);
  await countViews(mine, 2, 0);
  await countViews(other, 3, 0);
  expect((await getStats(1, mine)).totalViews).toBe(2);
  await expect(getStats(1, other)).rejects.toMatchObject({ code: 'project_not_found' });
});

test('organizations that ask at the same time and again each get their own statistics', async () => {
  const [mine, other] = [org_id, randomUUID()];
  await countViews(sites[0], 2, 0, '/mine');
  org_id = other;
  await countViews(sites[1], 3, 0, '/other');
  const callers = [mine, other, mine, other];
  for (let round = 0; round < 2; round++) {
    const replies = callers.map((org) => getAnalytics.run({ days: 1 }, testCaller(org)));
    const shown = (await Promise.all(replies)).map(({ analytics }) => [analytics?.topPages, analytics?.totalViews]);
    const [first, second] = [[[{ path: '/mine', views: 2 }], 2] as const, [[{ path: '/other', views: 3 }], 3] as const];
    expect(shown).toEqual([first, second, first, second]);
  }
});

test('top lists have 10 rows, ordered by views and then by name; referrers and devices are named as in the contract', async () => {
  for (let page = 0; page < 12; page++) await countViews(sites[0], page < 6 ? 2 : 1, 0, `/${String.fromCharCode(108 - page)}`);
  const { topPages, topReferrers, deviceBreakdown } = await getStats(1);
  expect(topPages?.map(({ path, views }) => `${path} ${views}`)).toEqual([
    '/g 2',
    '/h 2',
    '/i 2',
    '/j 2',
    '/k 2',
    '/l 2',
    '/a 1',
    '/b 1',
    '/c 1',
    '/d 1',
  ]);
  expect([topReferrers, deviceBreakdown]).toEqual([[{ referrer: 'direct', views: 18 }], [{ device: 'mobile', views: 18 }]]);
});
