import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { Principal } from '@webkiln/messages';
import { connectTo, startReplica } from '@webkiln/rpc/testing';
import { nextDayTimeoutMs, operationsOn, testCaller, useTestStore, withinOneDay } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { closeDays, closeOrgDay, findOrgDays, findStaleDays, markStale, saveOrgDay } from '../rollups/org-day-store.ts';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { deleteSite, moveSite } from '../rollups/site-day-store.ts';
import { makeView } from '../testing/make-view.ts';
import { dayMs, startOfDay, toUtcDay, type View } from '../views/view.ts';
import { Fold } from '../workers/fold.ts';
import { getAnalytics } from './get-analytics.ts';
import { getVisits } from './get-visits.ts';
import { StaleWhileRevalidate } from './stale-while-revalidate.ts';

useTestStore();

describe('get analytics', () => {
  let noon: number;
  const recentVisitors = new RecentVisitors();
  const daysAgo = (days: number) => toUtcDay(noon, -days);
  let org_id: string;
  let sites: string[];
  beforeEach(() => withinOneDay(), nextDayTimeoutMs);
  beforeEach(async () => {
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

  /** The pages as both reports list them. */
  async function pagesOf(page?: string) {
    const { visits } = await getVisits.run({ days: 5, page }, testCaller(org_id));
    const { topPages } = await getStats(5);
    const rowOf = ({ views, ...named }: { path?: string | null; name?: string | null; views?: unknown }) => [
      named.path ?? named.name,
      views,
    ];
    return { analytics: (topPages ?? []).map(rowOf), visits: (visits?.pages ?? []).map(rowOf) };
  }

  test('a page is one, whichever of its addresses was viewed, on the day and when it is closed; one address names it', async () => {
    const addresses = ['/about', '/about.html', '/about/', '/docs/', '/docs/index.html', '/', '/index.html', '/one.html'];
    for (const path of [...addresses, '/café'.normalize('NFC'), '/café'.normalize('NFD')]) await countViews(sites[0], 1, 1, path);
    await countViews(sites[1], 1, 0, '/about/index.html');
    const pages = [
      ['/about', 4],
      ['/', 2],
      ['/café', 2],
      ['/docs', 2],
      ['/one.html', 1],
    ];
    for (let round = 0; round < 2; round++) {
      expect(await pagesOf()).toEqual({ analytics: pages, visits: pages });
      await closeDays(noon);
    }
    for (const page of ['/docs', '/docs/', '/docs.html']) expect((await pagesOf(page)).visits).toEqual([['/docs', 2]]);
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

  describe('visits', () => {
    /** Counts views of one visitor at noon, `days` days ago. */
    async function visit(site: string | undefined, days: number, views: readonly Partial<View>[]): Promise<void> {
      const visitor = randomUUID().slice(0, 16);
      const made = views.map((view) => ({
        view: makeView(site ?? '', { at: noon - days * dayMs, visitor, ...view }),
        position: ++position,
      }));
      await fold.fold(made, position, recentVisitors);
    }

    async function getFigures(wanted: Partial<Parameters<typeof getVisits.run>[0]> = {}) {
      const { visits } = await getVisits.run({ days: 2, ...wanted }, testCaller(org_id));
      if (visits === undefined || visits === null) throw new Error('no visits');
      return visits;
    }

    const letter = { source: 'letter', medium: 'mail', campaign: 'spring' };

    test('filters apply together and to all figures; a visitor counts with its first view, before and after its day is closed', async () => {
      await visit(sites[0], 1, [
        { path: '/', country: 'DE', browser: 'Chrome', referrer: 'news.example' },
        { path: '/menu', country: 'DE', browser: 'Chrome' },
      ]);
      await visit(sites[0], 1, [{ path: '/menu', country: 'DE', browser: 'Safari', ...letter }]);
      await visit(sites[1], 1, [{ path: '/menu', country: 'FR', browser: 'Chrome' }]);
      await visit(sites[0], 3, [{ path: '/menu', country: 'DE', browser: 'Chrome' }]);
      for (let round = 0; round < 2; round++) {
        const all = await getFigures();
        expect(all).toMatchObject({ views: 4, visitors: 3, previous: { views: 1, visitors: 1 }, unknown: 0 });
        expect(all.pages).toEqual([
          { name: '/menu', views: 3, visitors: 2 },
          { name: '/', views: 1, visitors: 1 },
        ]);
        expect(all.entry_pages?.map(({ name, visitors }) => [name, visitors])).toEqual([
          ['/menu', 2],
          ['/', 1],
        ]);
        expect(all.countries).toEqual([
          { name: 'DE', views: 3, visitors: 2 },
          { name: 'FR', views: 1, visitors: 1 },
        ]);
        expect(all.referrers?.map(({ name, visitors }) => [name, visitors])).toEqual([
          ['direct', 2],
          ['news.example', 1],
        ]);
        expect([all.sources, all.mediums, all.campaigns].map((rows) => rows?.map(({ name }) => name))).toEqual([
          ['letter'],
          ['mail'],
          ['spring'],
        ]);
        const german = await getFigures({ country: 'DE', browser: 'Chrome' });
        expect(german).toMatchObject({ views: 2, visitors: 1, previous: { views: 1, visitors: 1 }, unknown: 0 });
        expect(german.days?.map(({ views }) => views)).toEqual([2, 0]);
        expect(await getFigures({ referrer: 'direct', page: '/menu' })).toMatchObject({ views: 3, visitors: 2 });
        expect(await getFigures({ browser: 'Netscape' })).toMatchObject({ views: 0, visitors: 0, pages: [] });
        await closeDays(noon);
      }
    });

    test('beyond 500 combinations a day the lists stay complete, and a filter says of how many views it cannot tell', async () => {
      await visit(
        sites[0],
        1,
        Array.from({ length: 520 }, (_, page) => ({
          path: `/page-${page % 26}`,
          source: `source-${page % 25}`,
          browser: page === 519 ? 'Rare' : 'Chrome',
        })),
      );
      await closeDays(noon);
      const all = await getFigures({ days: 2 });
      expect([all.views, all.unknown]).toEqual([520, 0]);
      expect(all.browsers?.map(({ name, views }) => [name, views])).toEqual([
        ['Chrome', 519],
        ['Rare', 1],
      ]);
      const filtered = await getFigures({ browser: 'Chrome' });
      expect(Number(filtered.views) + Number(filtered.unknown)).toBeGreaterThanOrEqual(519);
      expect(Number(filtered.unknown)).toBeGreaterThan(0);
    });

    test('days of an earlier release are in the sums and lists, and filters cannot tell of them', async () => {
      await visit(sites[0], 1, [{ path: '/old' }]);
      await mongoose.connection.collection('site_days').updateMany({}, { $unset: { breakdown: '' } });
      expect(await getFigures()).toMatchObject({ views: 1, visitors: 1, pages: [{ name: '/old', views: 1, visitors: 0 }] });
      expect(await getFigures({ page: '/old' })).toMatchObject({ views: 0, unknown: 1 });
    });

    test('a day has its hours, and other ranges have none; malformed and too long ranges are bounded', async () => {
      await visit(sites[0], 1, [{ path: '/' }]);
      const [day, today] = [daysAgo(1), daysAgo(0)];
      expect((await getFigures({ from: day, to: day })).hours?.filter(({ views }) => views !== 0)).toEqual([
        { hour: 12, views: 1, visitors: 1 },
      ]);
      expect(await getFigures({ from: day, to: today })).toMatchObject({ from: day, to: today, hours: [] });
      expect(await getFigures({ from: '2026-02-31', to: 'later' })).toMatchObject({ from: day, to: today });
      expect((await getFigures({ from: '2000-01-01' })).days).toHaveLength(366);
    });
  });
});

describe('client users', () => {
  const org_id = randomUUID();
  const [ada, bob] = ['ada', 'bob'];
  /** Ada has two sites, Bob one. */
  const owners = new Map([
    ['shop', ada],
    ['blog', ada],
    ['cafe', bob],
  ]);
  const fold = new Fold({ getOwner: async (name) => ({ org_id, project_id: name, user_id: owners.get(name) ?? '' }) });
  let now: number;
  let position = 0;

  async function countViews(site: string, times: number, at: number): Promise<void> {
    const views = Array.from({ length: times }, () => ({
      view: makeView(site, { at, path: `/${site}`, visitor: randomUUID().slice(0, 16) }),
      position: ++position,
    }));
    await fold.fold(views, position, new RecentVisitors());
  }

  const clientOf = (user_id: string): Principal => ({ ...testCaller(org_id).principal, kind: 'session', role: 'client', user_id });

  async function getStats(principal: Principal, days: number, project_id?: string) {
    const request = { days, project_id, include: 'realtime,bots' };
    const { analytics } = await getAnalytics.run(request, testCaller(org_id, { principal }));
    return [analytics?.totalViews, analytics?.topPages?.map(({ path }) => path), analytics?.realtime?.views];
  }

  beforeAll(() => withinOneDay(), nextDayTimeoutMs);
  beforeAll(async () => {
    now = Date.now();
    for (const [site, times] of [
      ['shop', 3],
      ['blog', 2],
      ['cafe', 4],
    ] as const) {
      await countViews(site, times, now);
      await countViews(site, times, now - dayMs);
    }
    await closeDays(now);
  });

  test("a client's user sees the sums of their own sites, closed days included, and the organization sees all", async () => {
    expect(await getStats(clientOf(ada), 2)).toEqual([10, ['/shop', '/blog'], 5]);
    expect(await getStats(clientOf(bob), 1)).toEqual([4, ['/cafe'], 4]);
    expect(await getStats(testCaller(org_id).principal, 2)).toEqual([18, ['/cafe', '/shop', '/blog'], 9]);
    expect(await getStats(clientOf('nobody'), 2)).toEqual([0, [], 0]);
  });

  test("statistics of a site never reach another client's user, even if the project check lets the request through", async () => {
    await using replica = await startReplica({ 'projects.GetProject': async () => ({}) });
    await using _peers = connectTo('carried', [replica.port]);
    expect(await getStats(clientOf(ada), 2, 'blog')).toEqual([4, ['/blog'], 2]);
    expect(await getStats(clientOf(ada), 2, 'cafe')).toEqual([0, [], 0]);
  });

  test('a site of another client looks as if it did not exist', async () => {
    await using replica = await startReplica({
      'projects.GetProject': async ({ project_id }, { principal }) => {
        if (owners.get(project_id) !== principal.user_id) throw new AppError('project_not_found');
        return {};
      },
    });
    await using _peers = connectTo('carried', [replica.port]);
    for (const project_id of ['cafe', 'none']) {
      await expect(getStats(clientOf(ada), 2, project_id)).rejects.toMatchObject({ code: 'project_not_found' });
    }
  });

  test('the sums of a user’s sites are read from an index', async () => {
    const operations = await operationsOn('site_days', () => getStats(clientOf(bob), 2));
    expect(operations.length).toBeGreaterThan(0);
    for (const operation of operations) expect(operation).toMatchObject({ docsExamined: operation.nreturned });
  });

  test('statistics that move with a site are those of the client who has it now', async () => {
    await moveSite({ org_id }, 'blog', bob);
    await countViews('blog', 1, now);
    expect(await getStats(clientOf(ada), 2)).toEqual([6, ['/shop'], 3]);
    expect(await getStats(clientOf(bob), 2)).toEqual([13, ['/cafe', '/blog'], 7]);
  });
});

describe('stale while revalidate', () => {
  /** A cache with a manual clock, whose loads are answered one by one. */
  function testCache() {
    const clock = { now: 5_000 };
    const loads: { of: readonly string[]; answer: (text: string) => void; fail: (error: Error) => void }[] = [];
    const cache = new StaleWhileRevalidate(
      (...of: [string, string]) => {
        const { promise, resolve: answer, reject: fail } = Promise.withResolvers<string>();
        loads.push({ of, answer, fail });
        return promise;
      },
      { now: () => clock.now },
    );
    const last = () => {
      const load = loads.at(-1);
      if (load === undefined) throw new Error('nothing was loaded');
      return load;
    };
    /** Gets a value that is loaded at once. */
    const getLoaded = async (text: string) => {
      const got = cache.get('org', 'range');
      last().answer(text);
      return got;
    };
    return { clock, loads, cache, last, getLoaded, get: () => cache.get('org', 'range') };
  }

  /** Resolves when the cache has processed the last answer. */
  const nextTick = () => new Promise((resolve) => setImmediate(resolve));

  test('equal concurrent requests share one load, and its value is fresh for a second', async () => {
    const { clock, loads, last, get } = testCache();
    const all = [get(), get(), get()];
    last().answer('first');
    expect(await Promise.all(all)).toEqual(['first', 'first', 'first']);
    clock.now += 999;
    expect([await get(), loads.length]).toEqual(['first', 1]);
  });

  test('organizations, and ranges of one organization, never share a value or a load', async () => {
    const { loads, cache } = testCache();
    const all = [cache.get('a', 'x'), cache.get('b', 'x'), cache.get('a', 'y'), cache.get('a","x', '')];
    for (const { of, answer } of loads) answer(`of ${of.join(' ')}`);
    expect(await Promise.all(all)).toEqual(['of a x', 'of b x', 'of a y', 'of a","x ']);
    expect(await cache.get('b', 'x')).toBe('of b x');
  });

  test('a value of one to three seconds is returned while it is refreshed once; the next request gets the refreshed value', async () => {
    const { clock, loads, last, get, getLoaded } = testCache();
    await getLoaded('first');
    clock.now += 2_999;
    expect([await get(), await get(), loads.length]).toEqual(['first', 'first', 2]);
    last().answer('second');
    await nextTick();
    expect([await get(), loads.length]).toEqual(['second', 2]);
  });

  test('a value of three seconds is not returned, also during a refresh; its age counts from the start of its load', async () => {
    const { clock, loads, last, get } = testCache();
    const first = get();
    clock.now += 1_000;
    last().answer('first');
    await first;
    clock.now += 1_999;
    expect(await get()).toBe('first');
    clock.now += 1;
    const next = get();
    last().answer('second');
    expect([await next, loads.length]).toEqual(['second', 2]);
  });

  test('a failed refresh is retried by the next request, and only requests that wait for it see the error', async () => {
    const { clock, loads, last, get, getLoaded } = testCache();
    await getLoaded('first');
    clock.now += 2_000;
    expect(await get()).toBe('first');
    last().fail(new Error('away'));
    await nextTick();
    expect([await get(), loads.length]).toEqual(['first', 3]);
    last().fail(new Error('away'));
    await nextTick();
    clock.now += 1_000;
    const waiting = get();
    last().fail(new Error('still away'));
    await expect(waiting).rejects.toThrow('still away');
    expect([await getLoaded('second'), loads.length]).toEqual(['second', 5]);
  });

  test('every request gets a value, however many other keys are requested meanwhile', async () => {
    const { loads, cache } = testCache();
    const all = Array.from({ length: 1_000 }, (_, index) => cache.get(`org-${index}`, 'x'));
    for (const { of, answer } of loads) answer(of[0] ?? '');
    expect(await Promise.all(all)).toEqual(Array.from({ length: 1_000 }, (_, index) => `org-${index}`));
  });
});
