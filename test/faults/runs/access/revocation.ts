import { setTimeout as pause } from 'node:timers/promises';
import { agency, eventually } from '../../../harness/agency.ts';
import { Api } from '../../../harness/api.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';

const unlimited = 1_000_000;
/** So many requests of each caller within the bound show the last admitted one closely enough. */
const requestsPerBound = 100;
const giveUpAfterMs = 30_000;

interface Counts {
  readonly rounds: number;
  readonly maxDelayMs: number;
  readonly seed?: number;
}

/** Runs `revokeEverywhere` while NATS is down, so that no broadcast reaches the gateways. */
export async function revokeWithoutNats(platform: TestPlatform, counts: Counts): Promise<Outcome> {
  await platform.stopProcess('nats');
  try {
    return await revokeEverywhere(platform, counts);
  } finally {
    await platform.startProcess('nats');
  }
}

/** Allowance for a slow machine, in durations of one request: the broadcast takes a few hops between processes. */
export const hops = 3;

/** Revokes a key in use on all gateways. Its last admitted request must be sent at most `maxDelayMs` later. */
export async function revokeEverywhere({ facts }: TestPlatform, { rounds, maxDelayMs, seed = chooseSeed() }: Counts): Promise<Outcome> {
  const findings = new Findings();
  const ours = await agency(facts, { rateLimit: unlimited });
  let slowestMs = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const { api, keyId } = await ours.makeKey(['read']);
    const gateways = facts.origins.map((origin) => new Api(`${origin}/api/v1`, api.key));
    const { lastMs, slowestMs: requestMs } = await measureLastAccess(gateways, () => ours.revokeKey(keyId), maxDelayMs);
    findings.check(
      lastMs <= maxDelayMs + hops * requestMs,
      `a revoked key was admitted ${Math.round(lastMs)} ms after the revocation; the slowest request took ${Math.round(requestMs)} ms`,
    );
    slowestMs = Math.max(slowestMs, lastMs);
  }
  return { seed, tries: rounds, figure: `last 200 after ${Math.round(slowestMs)} ms`, failures: findings.failures };
}

/**
 * Calls all gateways until each refuses. Returns the ms from the end of the revocation to the sending of the last
 * admitted request, and the duration of the slowest request.
 */
export const measureLastAccess = (gateways: readonly Api[], revoke: () => Promise<unknown>, maxDelayMs: number) =>
  measureLast(
    gateways.map((gateway) => async () => (await gateway.get('/projects')).status),
    revoke,
    { refusing: [401, 403], maxDelayMs },
  );

async function assertAdmitted(request: () => Promise<number>): Promise<void> {
  const status = await request();
  if (status !== 200) throw new Error(`a request got ${status} before it was to be refused`);
}

/** Repeats each request until it gets a status that refuses. Returns what `measureLastAccess` does. */
export async function measureLast(
  requests: readonly (() => Promise<number>)[],
  revoke: () => Promise<unknown>,
  { refusing, maxDelayMs }: { refusing: readonly number[]; maxDelayMs: number },
): Promise<{ lastMs: number; slowestMs: number }> {
  let revokedAt = Number.POSITIVE_INFINITY;
  let [lastAt, slowestMs] = [0, 0];
  const callUntilRefused = async (request: () => Promise<number>) => {
    for (;;) {
      const sentAt = performance.now();
      const status = await request();
      slowestMs = Math.max(slowestMs, performance.now() - sentAt);
      // A 429 means that the credential is still accepted.
      if (status === 200 || status === 429) lastAt = Math.max(lastAt, sentAt);
      else if (refusing.includes(status)) return;
      if (sentAt > revokedAt + giveUpAfterMs) return;
      await pause(maxDelayMs / requestsPerBound);
    }
  };
  await Promise.all(requests.map((request) => eventually(() => assertAdmitted(request))));
  const callers = requests.map(callUntilRefused);
  await revoke();
  revokedAt = performance.now();
  await Promise.all(callers);
  return { lastMs: lastAt - revokedAt, slowestMs };
}
