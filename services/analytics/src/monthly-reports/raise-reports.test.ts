import { randomUUID } from 'node:crypto';
import type { EventEnvelope } from '@webkiln/messages';
import { useTestStore } from '@webkiln/store/testing';
import mongoose from 'mongoose';
import { RecentVisitors } from '../rollups/recent-visitors.ts';
import { makeView } from '../testing/make-view.ts';
import { dayMs, hourMs } from '../views/view.ts';
import { Fold } from '../workers/fold.ts';
import { maxReportsPerDay, raiseReports } from './raise-reports.ts';

useTestStore();

type Raised = EventEnvelope<'internal.report.due'>;

/** Each site is of a user of its own. */
const owners = new Map<string, { org_id: string; user_id: string }>();
const fold = new Fold({ getOwner: async (name) => ({ project_id: name, org_id: '', user_id: '', ...owners.get(name) }) });
let position = 0;
let org_id: string;

beforeEach(async () => {
  org_id = randomUUID();
  for (const name of ['site_days', 'org_days', 'monthly_reports']) await mongoose.connection.collection(name).deleteMany({});
});

/** A site with views on a day; each has another visitor. Returns its user. */
async function visited(views: Readonly<Record<string, number>>): Promise<string> {
  const [site, user_id] = [randomUUID(), randomUUID()];
  owners.set(site, { org_id, user_id });
  for (const [day, count] of Object.entries(views)) {
    const at = Date.parse(`${day}T12:00:00Z`);
    const made = Array.from({ length: count }, () => ({
      view: makeView(site, { at, path: '/menu', visitor: randomUUID().slice(0, 16) }),
      position: ++position,
    }));
    await fold.fold(made, position, new RecentVisitors());
  }
  return user_id;
}

const raised = async (): Promise<Raised[]> => {
  const records = await mongoose.connection.collection<{ _id: string; outbox: Raised }>('monthly_reports').find({ org_id }).toArray();
  return records.flatMap(({ outbox }) => outbox);
};

const march = (day: number) => Date.parse('2026-03-01T00:00:00Z') + (day - 1) * dayMs;
/** By then every organization has had its hour. */
const allDue = march(5) + hourMs;

test('a user with visits in the last month has one report, compared with the month before, however often and wherever it is raised', async () => {
  const user_id = await visited({ '2026-01-15': 2, '2026-02-01': 3, '2026-02-28': 1, '2026-03-01': 5 });
  await Promise.all([raiseReports(allDue), raiseReports(allDue)]);
  await raiseReports(allDue + dayMs);
  const [report, ...others] = await raised();
  expect(others).toEqual([]);
  expect(report?.data).toEqual({
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

test('an organization raises a bounded number a day, and the rest on the following days', async () => {
  for (let user = 0; user < maxReportsPerDay + 3; user++) await visited({ '2026-02-10': 1 });
  await raiseReports(allDue);
  await raiseReports(allDue + hourMs);
  expect(await raised()).toHaveLength(maxReportsPerDay);
  await raiseReports(allDue + dayMs);
  expect(await raised()).toHaveLength(maxReportsPerDay + 3);
});

test('organizations begin at hours of their own', async () => {
  const begun = new Set<number>();
  for (let organization = 0; organization < 8; organization++) {
    org_id = randomUUID();
    await visited({ '2026-02-10': 1 });
    for (let hour = 0; (await raised()).length === 0; hour++) {
      await raiseReports(march(2) + hour * hourMs);
      if ((await raised()).length > 0) begun.add(hour);
    }
  }
  expect(begun.size).toBeGreaterThan(2);
});
