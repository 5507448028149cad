import { agency } from '../../../harness/agency.ts';
import { Api } from '../../../harness/api.ts';
import { suspend } from '../../../harness/operator.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { hops, measureLastAccess } from './revocation.ts';

/**
 * Suspends an organization whose key is in use on all gateways. The last admitted request must be sent at most
 * `maxDelayMs` later.
 */
export async function suspendEverywhere(
  { facts }: TestPlatform,
  { rounds, maxDelayMs, seed = chooseSeed() }: { rounds: number; maxDelayMs: number; seed?: number },
): Promise<Outcome> {
  const findings = new Findings();
  let slowestMs = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const ours = await agency(facts, { rateLimit: 1_000_000 });
    const gateways = facts.origins.map((origin) => new Api(`${origin}/api/v1`, ours.api.key));
    const { lastMs, slowestMs: requestMs } = await measureLastAccess(gateways, () => suspend(ours.organization.id), maxDelayMs);
    findings.check(
      lastMs <= maxDelayMs + hops * requestMs,
      `a key was admitted ${Math.round(lastMs)} ms after the suspension; the slowest request took ${Math.round(requestMs)} ms`,
    );
    slowestMs = Math.max(slowestMs, lastMs);
  }
  return { seed, tries: rounds, figure: `last 200 after ${Math.round(slowestMs)} ms`, failures: findings.failures };
}
