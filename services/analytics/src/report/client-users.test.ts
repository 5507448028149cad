import { randomUUID } from 'node:crypto';
import { AppError } from '@webkiln/contract';
import type { Principal } from '@webkiln/messages';
import { connectTo, startReplica } from '@webkiln/rpc/testing';
import { nextDayTimeoutMs, operationsOn, testCaller, useTestStore, withinOneDay } from '@webkiln/store/testing';
import { closeDays } from '../rollups/org-day-store.ts';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { moveSite } from '../rollups/site-day-store.ts';
import { makeView } from '../testing/make-view.ts';
import { dayMs } from '../views/view.ts';
import { Fold } from '../workers/fold.ts';
import { getAnalytics } from './get-analytics.ts';

useTestStore();

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
