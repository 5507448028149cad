import { randomUUID } from 'node:crypto';
import type { MonthlyReport } from '@webkiln/messages';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { makeView } from '../testing/make-view.ts';
import { dayMs, hourMs } from '../views/view.ts';
import { Fold } from '../workers/fold.ts';
import { minReportsPerDay, raiseReports } from './raise-reports.ts';

useTestStore();

/** Each site is of a user of its own. */
const owners = new Map<string, { org_id: string; user_id: string }>();
const fold = new Fold({ getOwner: async (name) => ({ project_id: name, org_id: '', user_id: '', ...owners.get(name) }) });
let position = 0;
let org_id: string;

beforeEach(async () => {
  org_id = randomUUID();
  for (const name of ['site_days', 'org_days', 'monthly_reports']) await mongoose.connection.collection(name).deleteMany({});
});

/** Visits a site in each organization, of a user of its own, on days; each view is by another visitor. */
async function visited(views: Readonly<Record<string, number>>, organizations: readonly string[] = [org_id]): Promise<string[]> {
  const users = organizations.map((organization) => {
    const [site, user_id] = [randomUUID(), randomUUID()];
    owners.set(site, { org_id: organization, user_id });
    return { site, user_id };
  });
  const days = Object.entries(views).flatMap(([day, count]) => Array<number>(count).fill(Date.parse(`${day}T12:00:00Z`)));
  const made = users.flatMap(({ site }) => days.map((at) => makeView(site, { at, path: '/menu', visitor: randomUUID().slice(0, 16) })));
  await fold.fold(
    made.map((view) => ({ view, position: ++position })),
    position,
    new RecentVisitors(),
  );
  return users.map(({ user_id }) => user_id);
}

type Stored = { _id: string; outbox: { data: string }[] };
const raised = async (organizations: readonly string[] = [org_id]): Promise<MonthlyReport[]> => {
  const found = mongoose.connection.collection<Stored>('monthly_reports').find({ org_id: { $in: [...organizations] } });
  return (await found.toArray()).flatMap(({ outbox }) => outbox.map(({ data }) => JSON.parse(data) as MonthlyReport));
};

const march = (day: number) => Date.parse('2026-03-01T00:00:00Z') + (day - 1) * dayMs;
/** By then every organization has had its hour. */
const allDue = march(5) + hourMs;

test('a user with visits in the last month has one report, compared with the month before, however often and wherever it is raised', async () => {
  const [user_id] = await visited({ '2026-01-15': 2, '2026-02-01': 3, '2026-02-28': 1, '2026-03-01': 5 });
  await Promise.all([raiseReports(allDue), raiseReports(allDue)]);
  await raiseReports(allDue + dayMs);
  const [report, ...others] = await raised();
  expect(others).toEqual([]);
  expect(report).toEqual({
    user_id,
    month: '2026-02',
    sites: [{ project_id: expect.any(String), views: 4, visitors: 4, visitors_before: 2, pages: ['/menu'] }],
  });
});

test('no report is raised without visits in the month, before its days are closed, or once it is old', async () => {
  await visited({ '2026-01-31': 1, '2026-03-01': 1 });
  await raiseReports(allDue);
  await visited({ '2026-02-10': 1 });
  await raiseReports(march(1) + 23 * hourMs);
  await raiseReports(march(15));
  expect(await raised()).toEqual([]);
  await raiseReports(march(14));
  expect(await raised()).toHaveLength(1);
});

test('an organization raises as many a day as a new one may mail, and the rest on the following days', async () => {
  await visited({ '2026-02-10': 1 }, Array<string>(minReportsPerDay + 3).fill(org_id));
  await raiseReports(allDue);
  await raiseReports(allDue + hourMs);
  expect(await raised()).toHaveLength(minReportsPerDay);
  await raiseReports(allDue + dayMs);
  expect(await raised()).toHaveLength(minReportsPerDay + 3);
});

test('organizations begin at hours of their own', async () => {
  const organizations = Array.from({ length: 30 }, () => randomUUID());
  await visited({ '2026-02-10': 1 }, organizations);
  await raiseReports(march(2) + 36 * hourMs);
  const begun = (await raised(organizations)).length;
  expect([begun > 0, begun < organizations.length]).toEqual([true, true]);
  await raiseReports(allDue);
  expect(await raised(organizations)).toHaveLength(organizations.length);
});
