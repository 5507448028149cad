import { makeProject } from '../../../contract/fixtures.ts';
import { agency } from '../../../harness/agency.ts';
import { suspend, takeDown } from '../../../harness/operator.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { visit } from '../../../harness/visitor.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { hops, measureLast } from './revocation.ts';

interface Counts {
  readonly rounds: number;
  readonly maxDelayMs: number;
  readonly seed?: number;
}

type Published = Readonly<{ orgId: string; projectId: string }>;

/**
 * Suspends an organization whose site and preview are visited through all gateways, and so at all replicas. The last
 * visit that shows them must begin at most `maxDelayMs` later.
 */
export const pauseSitesEverywhere = (platform: TestPlatform, counts: Counts): Promise<Outcome> =>
  endVisits(platform, counts, ({ orgId }) => suspend(orgId), 503);

/** The same for a site that an operator takes down. */
export const takeDownEverywhere = (platform: TestPlatform, counts: Counts): Promise<Outcome> =>
  endVisits(platform, counts, ({ projectId }) => takeDown(projectId, 'spam'), 410);

async function endVisits(
  { facts }: TestPlatform,
  { rounds, maxDelayMs, seed = chooseSeed() }: Counts,
  decide: (published: Published) => Promise<unknown>,
  noticeStatus: number,
): Promise<Outcome> {
  const findings = new Findings();
  let slowestMs = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const { api, organization } = await agency(facts, { rateLimit: 1_000_000 });
    const { id } = await makeProject(api);
    const { url } = (await api.post(`/projects/${id}/publish`, { builtFiles: { 'index.html': 'Hi' } })).expect(200).body;
    const { preview_url } = (await api.get(`/projects/${id}/preview`)).expect(200).body;
    const visits = facts.origins.flatMap((origin) => [url, preview_url].map((page) => async () => (await visit(origin, page)).status));
    const end = () => decide({ orgId: organization.id, projectId: id });
    const { lastMs, slowestMs: visitMs } = await measureLast(visits, end, { refusing: [noticeStatus], maxDelayMs });
    findings.check(
      lastMs <= maxDelayMs + hops * visitMs,
      `a page was shown ${Math.round(lastMs)} ms later; the slowest visit took ${Math.round(visitMs)} ms`,
    );
    slowestMs = Math.max(slowestMs, lastMs);
  }
  return { seed, tries: rounds, figure: `last page after ${Math.round(slowestMs)} ms`, failures: findings.failures };
}
