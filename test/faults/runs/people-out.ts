import { Api } from '../../harness/api.ts';
import { owner, type Person } from '../../harness/person.ts';
import { clientsUser, colleague, memberOf } from '../../harness/team.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';
import { hops, lastOpened } from './revocation.ts';

interface Counts {
  readonly rounds: number;
  readonly withinMs: number;
  readonly seed?: number;
}

/** A member is removed, and a client suspended, while they ask all gateways: the last request that is let in was sent at most `withinMs` later. */
export async function peopleOutEverywhere({ facts }: TestPlatform, { rounds, withinMs, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const boss = await owner({ platform: facts });
  let slowestMs = Number.NEGATIVE_INFINITY;
  const out = async (who: string, person: Person, putOut: () => Promise<unknown>) => {
    const doors = facts.origins.map((origin) => new Api(`${origin}/api/v1`, undefined, person.headers()));
    const { lastMs, slowestMs: requestMs } = await lastOpened(doors, putOut);
    const told = `${who} was let in ${Math.round(lastMs)} ms after that, when a request took ${Math.round(requestMs)} ms`;
    findings.check(lastMs <= withinMs + hops * requestMs, told);
    slowestMs = Math.max(slowestMs, lastMs);
  };
  for (let round = 0; round < rounds; round++) {
    const viewer = await colleague(boss, 'viewer');
    const { id } = await memberOf(viewer, boss);
    await out('a removed member', viewer, async () => (await boss.api.delete(`/account/members/${id}`)).expect(200));
    const { person, client } = await clientsUser(boss);
    const suspend = async () => (await boss.api.patch(`/clients/${client.id}`, { status: 'suspended' })).expect(200);
    await out("a suspended client's user", person, suspend);
  }
  return { seed, tries: 2 * rounds, figure: `last let in after ${Math.round(slowestMs)} ms`, failures: findings.failures };
}
