import { randomUUID } from 'node:crypto';
import type { MongoClient } from 'mongodb';

const dayMs = 24 * 3600_000;
const batchSize = 2_000;
const pages = 40;
const hosts = 10;
const maxRanked = 100;
const nothing = { pages: '[[],[]]', referrers: '[[],[]]', devices: '[[],[]]' };

interface Wanted {
  readonly mongodb: MongoClient;
  readonly org_id: string;
  readonly project_id: string;
  readonly sites: number;
  readonly days: number;
}

const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);
const named = (count: number, name: (rank: number) => string, max: number) =>
  Array.from({ length: count }, (_, index): [string, number] => [name(index), Math.ceil(max / (index + 1))]);
const pageName = (rank: number) => `/section/page-${rank}.html`;
const hostName = (rank: number) => `host-${rank}.example`;

const ranking = (rows: readonly [string, number][]) => JSON.stringify([rows.map(([name]) => name), rows.map(([, count]) => count)]);

/**
 * Writes a year of figures for an organization with `sites` sites, as the workers and the closing of days would leave
 * them.
 */
export async function seedFigures({ mongodb, org_id, project_id, sites, days }: Wanted): Promise<void> {
  const database = mongodb.db('webkiln_analytics');
  const projects = [project_id, ...Array.from({ length: sites - 1 }, () => randomUUID())];
  const sums = { views: 1_000, bots: 20, uniques: 400, revision: 1, org_id };
  const rankings = {
    pages: ranking(named(pages, pageName, 300)),
    referrers: ranking(named(hosts, hostName, 300)),
    devices: '[["desktop","mobile","tablet"],[600,350,50]]',
  };
  const allRankings = {
    pages: ranking(named(maxRanked, pageName, 300_000)),
    referrers: ranking(named(maxRanked, hostName, 300_000)),
    devices: '[["desktop","mobile","tablet"],[600000,350000,50000]]',
  };
  const closed = Array.from({ length: days - 1 }, (_, index) => {
    const day = dayOf(index + 1);
    return { _id: `${org_id}/${day}`, day, ...sums, views: 1_000 * sites, uniques: 400 * sites, ...allRankings };
  });
  const replacing = closed.map((day) => ({ replaceOne: { filter: { _id: day._id }, replacement: day, upsert: true } }));
  if (replacing.length > 0) await database.collection<{ _id: string }>('org_days').bulkWrite(replacing as never[]);
  await database
    .collection<{ _id: string }>('closed_days')
    .updateOne({ _id: 'org_days' }, { $set: { day: dayOf(1), revision: 1 } }, { upsert: true });
  for (let daysAgo = 0; daysAgo < days; daysAgo++) {
    const day = dayOf(daysAgo);
    // Rows that no report reads are nearly empty. They exist so that the indexes have a realistic size.
    const rankingsOf = (project: string) => (daysAgo === 0 || project === project_id ? rankings : nothing);
    const rows = projects.map((project) => ({
      _id: `${project}/${day}`,
      project_id: project,
      user_id: 'user',
      day,
      applied: 1,
      ...sums,
      ...rankingsOf(project),
    }));
    for (let from = 0; from < rows.length; from += batchSize) {
      await database.collection('site_days').insertMany(rows.slice(from, from + batchSize) as never[], { ordered: false });
    }
  }
}
