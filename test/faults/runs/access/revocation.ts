import { setTimeout as pause } from 'node:timers/promises';
import { agency, eventually } from '../../harness/agency.ts';
import { Api } from '../../harness/api.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';

const unlimited = 1_000_000;
const everyMs = 10;
const givenUpAfterMs = 30_000;

interface Counts {
  readonly rounds: number;
  readonly withinMs: number;
  readonly seed?: number;
}

/** Promise 10, without the broadcast. */
export async function revokedWithoutNats(platform: TestPlatform, counts: Counts): Promise<Outcome> {
  await platform.stopProcess('nats');
  try {
    return await revokedEverywhere(platform, counts);
  } finally {
    await platform.startProcess('nats');
  }
}

/** How many times what a request takes at that moment the news may take on top: a few hops between processes that share the machine. */
export const hops = 3;

/** Promise 10: a key in use on all gateways is revoked; the last request it opens was sent at most `withinMs` later. */
export async function revokedEverywhere({ facts }: TestPlatform, { rounds, withinMs, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const ours = await agency(facts, { rateLimit: unlimited });
  let slowestMs = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const { api, keyId } = await ours.makeKey(['read']);
    const doors = facts.origins.map((origin) => new Api(`${origin}/api/v1`, api.key));
    const { lastMs, slowestMs: requestMs } = await lastOpened(doors, () => ours.revokeKey(keyId));
    findings.check(
      lastMs <= withinMs + hops * requestMs,
      `a revoked key was let in ${Math.round(lastMs)} ms after the revocation, when a request took ${Math.round(requestMs)} ms`,
    );
    slowestMs = Math.max(slowestMs, lastMs);
  }
  return { seed, tries: rounds, figure: `last 200 after ${Math.round(slowestMs)} ms`, failures: findings.failures };
}

/** Milliseconds from the end of the revocation to the sending of the last request that was let in at any of the doors; how long the slowest request took. */
export async function lastOpened(doors: readonly Api[], revoke: () => Promise<unknown>): Promise<{ lastMs: number; slowestMs: number }> {
  let revokedAt = Number.POSITIVE_INFINITY;
  let [lastAt, slowestMs] = [0, 0];
  const use = async (door: Api) => {
    for (;;) {
      const sentAt = performance.now();
      const { status } = await door.get('/projects');
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      // Who has asked too much is known still.
      if (status === 200 || status === 429) lastAt = Math.max(lastAt, sentAt);
      else if (status === 401) return;
      if (sentAt > revokedAt + givenUpAfterMs) return;
      await pause(everyMs);
    }
  };
  await Promise.all(doors.map((door) => eventually(async () => (await door.get('/projects')).expect(200))));
  const uses = doors.map(use);
  await revoke();
  revokedAt = performance.now();
  await Promise.all(uses);
  return { lastMs: lastAt - revokedAt, slowestMs };
}
