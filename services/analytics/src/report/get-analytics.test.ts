import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import { connectTo, startReplica } from '@webkiln/rpc/testing';
import { testCaller, useTestStore, withinOneDay } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { closeDays, closeOrgDay } from '../rollups/close-days.ts';
import { keepOrgDay, markStale, orgDays, staleDays } from '../rollups/org-day-store.ts';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { dropSite } from '../rollups/site-day-store.ts';
import { dayMs, dayOf, startOf } from '../rollups/utc-day.ts';
import { Fold } from '../workers/fold.ts';
import { getAnalytics } from './get-analytics.ts';

useTestStore();

let noon: number;
const there = new RecentVisitors();
const daysAgo = (days: number) => dayOf(noon, -days);
let org_id: string;
let sites: string[];
beforeEach(async () => {
  await withinOneDay();
  noon = startOf(dayOf(Date.now())) + dayMs / 2;
  org_id = randomUUID();
  sites = [randomUUID(), randomUUID(), randomUUID()];
  // Which day is the last closed one is known of all organizations together.
  for (const name of ['closed_days', 'site_days', 'org_days']) await mongoose.connection.collection(name).deleteMany({});
});

const fold = new Fold({ ownerOf: async (name) => ({ org_id, project_id: name, user_id: 'user' }) });
let position = 0;

/** So many views of a site, so many days ago, each by a visitor of its own. */
async function viewed(site: string | undefined, count: number, days: number, path = '/'): Promise<void> {
  const views = Array.from({ length: count }, () => {
    const visitor = randomUUID().slice(0, 16);
    const view = {
      site: site ?? '',
      at: noon - days * dayMs,
      path,
      referrer: '',
      device: 'mobile' as const,
      bot: false,
      visitor,
      event: '',
    };
    return { view, position: ++position };
  });
  await fold.fold(views, position, there);
}

/** The organization's figures as a caller gets them. */
async function figures(days: number, project_id?: string) {
  const { analytics } = await getAnalytics.run({ days, project_id }, testCaller(org_id));
  if (analytics === undefined || analytics === null) throw new Error('no figures');
  return analytics;
}

const daily = async (days: number) => (await figures(days)).dailyViews?.map(({ views }) => views);
const closedViews = async () =>
  (await orgDays({ org_id }, daysAgo(400), daysAgo(0))).map(({ day, views, uniques }) => [day, views, uniques]);

test('a year of an organization is the sum of its sites, whether its days are closed or not', async () => {
  for (const [index, days] of [364, 200, 1, 0].entries()) {
    for (const [place, site] of sites.entries()) await viewed(site, 1 + index + place, days, `/page-${place}`);
  }
  const open = await figures(365);
  await closeDays(noon);
  expect(await figures(365)).toEqual(open);
  expect(open).toMatchObject({
    totalViews: 42,
    uniqueVisitors: 42,
    topPages: [{ path: '/page-2', views: 18 }, { views: 14 }, { views: 10 }],
  });
  expect((await closedViews()).map(([day]) => day)).toEqual([daysAgo(364), daysAgo(200), daysAgo(1)]);
});

test('a day is shown with all that is known of it, before and after it is closed, and days out of range are not', async () => {
  await viewed(sites[0], 2, 3);
  await viewed(sites[1], 3, 2);
  await viewed(sites[0], 4, 0);
  for (let round = 0; round < 2; round++) {
    expect(await daily(5)).toEqual([0, 2, 3, 0, 4]);
    expect(await daily(3)).toEqual([3, 0, 4]);
    expect(await daily(1)).toEqual([4]);
    await closeDays(noon);
  }
});

test('a view that is counted on a day that was closed is in its figures soon', async () => {
  await viewed(sites[0], 2, 1);
  await closeDays(noon);
  expect(await closedViews()).toEqual([[daysAgo(1), 2, 2]]);
  await viewed(sites[0], 1, 1);
  await viewed(sites[1], 1, 5);
  await closeDays(noon);
  expect(await daily(7)).toEqual([0, 1, 0, 0, 0, 3, 0]);
  expect(await staleDays()).toEqual([]);
});

test('figures that were begun before a view was counted are not kept', async () => {
  const begun = await markStale({ org_id }, [daysAgo(1)]);
  const meanwhile = await markStale({ org_id }, [daysAgo(1)]);
  const sum = { day: daysAgo(1), views: 2, bots: 0, uniques: 1, pages: '[[],[]]', referrers: '[[],[]]', devices: '[[],[]]' };
  await keepOrgDay({ org_id }, sum, begun);
  expect([await closedViews(), await staleDays()]).toEqual([[[daysAgo(1), 0, 0]], [{ org_id, day: daysAgo(1) }]]);
  await keepOrgDay({ org_id }, sum, meanwhile);
  expect([await closedViews(), await staleDays()]).toEqual([[[daysAgo(1), 2, 1]], []]);
});

test('closing twice changes nothing', async () => {
  await viewed(sites[0], 2, 1);
  await closeDays(noon);
  const once = await closedViews();
  await closeOrgDay(org_id, daysAgo(1));
  expect(await closedViews()).toEqual(once);
});

test('the figures of a deleted site go, and out of the sums too', async () => {
  await viewed(sites[0], 2, 1);
  await viewed(sites[1], 3, 1);
  await closeDays(noon);
  await markStale({ org_id }, await dropSite({ org_id }, sites[0] ?? ''));
  await closeDays(noon);
  expect(await closedViews()).toEqual([[daysAgo(1), 3, 3]]);
});

test('a project is asked for by its owner: who may not see it is told that there is none', async () => {
  const [mine = '', other = ''] = sites;
  await using replica = await startReplica({
    'projects.GetProject': async ({ project_id }, { principal }) => {
      if (project_id !== mine || principal.org_id !== org_id) throw new AppError('project_not_found');
      return {};
    },
  });
  await using _peers = connectTo('carried', [replica.port]);
  await viewed(mine, 2, 0);
  await viewed(other, 3, 0);
  expect((await figures(1, mine)).totalViews).toBe(2);
  await expect(figures(1, other)).rejects.toMatchObject({ code: 'project_not_found' });
});

test('organizations that ask at once and again each get their own figures', async () => {
  const [mine, other] = [org_id, randomUUID()];
  await viewed(sites[0], 2, 0, '/mine');
  org_id = other;
  await viewed(sites[1], 3, 0, '/other');
  const asked = [mine, other, mine, other];
  for (let round = 0; round < 2; round++) {
    const replies = asked.map((org) => getAnalytics.run({ days: 1 }, testCaller(org)));
    const shown = (await Promise.all(replies)).map(({ analytics }) => [analytics?.topPages, analytics?.totalViews]);
    const [first, second] = [[[{ path: '/mine', views: 2 }], 2] as const, [[{ path: '/other', views: 3 }], 3] as const];
    expect(shown).toEqual([first, second, first, second]);
  }
});

test('top lists are 10 rows, views first and then the name; days, referrers and devices are told as the contract says', async () => {
  for (let page = 0; page < 12; page++) await viewed(sites[0], page < 6 ? 2 : 1, 0, `/${String.fromCharCode(108 - page)}`);
  const { topPages, topReferrers, deviceBreakdown } = await figures(1);
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
