import { setTimeout as pause } from 'node:timers/promises';
import { connect, type NatsConnection } from 'nats';
import { type Expected, SyntheticViews, toMessages } from '../../../../services/analytics/src/testing/synthetic-views.ts';
import type { View } from '../../../../services/analytics/src/views/view.ts';
import { type Agency, agency, eventually } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';

/** Options of the platform for this run: two analytics processes count the views. */
export const viewsOptions = { replicas: 2, env: { RATE_LIMIT: '1000000' } };

const parts = ['analytics', 'nats', 'analytics-2', 'mongodb', 'projects-templates', 'analytics', 'analytics-2'];
const smallSites = 7;
const visitors = { small: 900, large: 40_000 };
const maxPauseMs = 2_000;
const countTimeoutMs = 180_000;

/** Publishes views while analytics and its dependencies are killed in turn. Then every view must be counted once. */
export async function countEveryView(
  platform: TestPlatform,
  { views, kills, seed = chooseSeed() }: { views: number; kills: number; seed?: number },
): Promise<Outcome> {
  const [findings, random] = [new Findings(), new Random(seed)];
  const ours = await agency(platform.facts, { rateLimit: 1_000_000 });
  const sites = new Map<string, string>();
  for (let site = 0; site <= smallSites; site++) {
    const { id, name } = await publishedSite(ours);
    sites.set(name, id);
  }
  const synthetic = new SyntheticViews({
    seed,
    sites: [...sites.keys()].map((name, index) => ({ name, visitors: index === 0 ? visitors.large : visitors.small })),
  });
  const began = performance.now();
  const connection = await connect({ servers: platform.facts.urls.NATS_URL, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  try {
    for (let round = 0; round < kills; round++) {
      const killed = pause(random.integerUpTo(maxPauseMs)).then(() => platform.replace(parts[round % parts.length] ?? '', 'SIGKILL'));
      await putAll(connection, synthetic.next(Math.ceil(views / kills)), `${seed} ${round}`);
      await killed;
    }
  } finally {
    await connection.close();
  }
  await compareFigures(ours, sites, synthetic.expected, findings);
  if (findings.failures.length > 0) findings.check(false, (await workersState(platform)).join('\n'));
  const seconds = Math.round((performance.now() - began) / 1000);
  return {
    seed,
    tries: kills,
    figure: `${views} views counted once each after ${seconds} s and ${kills} kills`,
    failures: findings.failures,
  };
}

async function publishedSite({ api }: Agency): Promise<{ id: string; name: string }> {
  const { client } = (await api.post('/clients', { email: `${crypto.randomUUID()}@example.test` })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Site' })).expect(201).body;
  const { url } = (await api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
  return { id: project.id, name: new URL(url).hostname.split('.')[0] ?? '' };
}

/** Publishes like ingest: an unacknowledged message is sent again under the same id. */
async function putAll(connection: NatsConnection, views: readonly View[], id: string): Promise<void> {
  for (const [index, message] of toMessages(views).entries()) {
    await eventually(() => connection.jetstream({ timeout: 2_000 }).publish('views', message, { msgID: `${id} ${index}` }));
  }
}

/** What each process that counts says of itself: how far its partitions are behind, and its last log lines. */
async function workersState(platform: TestPlatform): Promise<string[]> {
  const stateOf = async (name: string) => {
    const metrics = await (await platform.fetchInternal(name, '/metrics')).text();
    return [name, ...(metrics.match(/^webkiln_(views|worker)_.*$/gm) ?? []), ...platform.lastLines(name)];
  };
  return (await Promise.all(['analytics', 'analytics-2'].map(stateOf))).flat();
}

async function compareFigures(
  { api }: Agency,
  sites: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, Expected>,
  findings: Findings,
): Promise<void> {
  const read = async (query: string) => (await api.get(`/analytics?days=2&include=bots${query}`)).expect(200).body.analytics;
  const total = [...expected.values()].reduce((sum, site) => sum + site.views, 0);
  await eventually(async () => {
    const { totalViews } = await read('');
    if (totalViews < total) throw new Error(`${totalViews} of ${total} views are counted`);
  }, countTimeoutMs).catch((error) => findings.check(false, String(error)));
  let [uniques, shown] = [0, 0];
  for (const [name, site] of expected) {
    const figures = await read(`&project_id=${sites.get(name)}`);
    findings.check(figures.totalViews === site.views, `${name}: ${figures.totalViews} views, not ${site.views}`);
    findings.check(figures.bots === site.bots, `${name}: ${figures.bots} bots, not ${site.bots}`);
    const [top] = figures.topPages;
    findings.check(
      top?.views === site.pages.get(top?.path),
      `${name}: ${top?.views} views of ${top?.path}, not ${site.pages.get(top?.path)}`,
    );
    const isExact = site.visitors.size <= 1_000;
    const error = Math.abs(figures.uniqueVisitors / site.visitors.size - 1);
    findings.check(isExact ? error === 0 : error <= 0.03, `${name}: ${figures.uniqueVisitors} visitors, not ${site.visitors.size}`);
    uniques += site.visitors.size;
    shown += figures.uniqueVisitors;
  }
  // Each process may show an organization's totals with a delay of up to three seconds.
  await eventually(async () => {
    const all = await read('');
    if (all.totalViews !== total) throw new Error(`${all.totalViews} views in total, not ${total}`);
    if (all.uniqueVisitors !== shown) throw new Error(`${all.uniqueVisitors} visitors in total, ${shown} as the sum of the sites`);
  }, 60_000).catch((error) => findings.check(false, String(error)));
  findings.check(Math.abs(shown / uniques - 1) <= 0.03, `${shown} visitors in total, not ${uniques}`);
}
