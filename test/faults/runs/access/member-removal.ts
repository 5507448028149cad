import { Api } from '../../../harness/api.ts';
import { owner, type Person } from '../../../harness/person.ts';
import { clientUser, findMember, newMember } from '../../../harness/team.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { hops, measureLastAccess } from './revocation.ts';

interface Counts {
  readonly rounds: number;
  readonly maxDelayMs: number;
  readonly seed?: number;
}

/**
 * Removes a member and suspends a client while both call all gateways. Their last admitted request must be sent at most
 * `maxDelayMs` later.
 */
export async function endAccessEverywhere({ facts }: TestPlatform, { rounds, maxDelayMs, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const boss = await owner({ platform: facts });
  let slowestMs = Number.NEGATIVE_INFINITY;
  const measureRemoval = async (label: string, person: Person, remove: () => Promise<unknown>) => {
    const gateways = facts.origins.map((origin) => new Api(`${origin}/api/v1`, undefined, person.headers()));
    const { lastMs, slowestMs: requestMs } = await measureLastAccess(gateways, remove, maxDelayMs);
    const failure = `${label} was admitted ${Math.round(lastMs)} ms later; the slowest request took ${Math.round(requestMs)} ms`;
    findings.check(lastMs <= maxDelayMs + hops * requestMs, failure);
    slowestMs = Math.max(slowestMs, lastMs);
  };
  for (let round = 0; round < rounds; round++) {
    const viewer = await newMember(boss, 'viewer');
    const { id } = await findMember(viewer, boss);
    await measureRemoval('a removed member', viewer, async () => (await boss.api.delete(`/account/members/${id}`)).expect(200));
    const { person, client } = await clientUser(boss);
    const suspend = async () => (await boss.api.patch(`/clients/${client.id}`, { status: 'suspended' })).expect(200);
    await measureRemoval("a suspended client's user", person, suspend);
  }
  return { seed, tries: 2 * rounds, figure: `last admitted after ${Math.round(slowestMs)} ms`, failures: findings.failures };
}
