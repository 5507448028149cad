import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { makeBystander } from './dead-part-checks.ts';
import { deadParts, expectNormal } from './dead-part-guarantees.ts';

/** How long a failure takes to show where no bound is given. */
const settleTimeoutMs = 120_000;
const pollIntervalMs = 500;
/** Allowance for a slow machine, in durations of the same checks undisturbed. */
const slack = 10;

interface Counts {
  /** How long each part is down. */
  readonly downMs: number;
  /** The platform's rate-limit window. Default one minute. */
  readonly windowMs?: number;
  /** Added to that of the baseline; default: as long as it takes. */
  readonly maxRecoveryMs?: number;
  readonly seed?: number;
}

/**
 * Stops each part in turn. Everything that does not need it must keep working, and all must recover after its return.
 */
export async function surviveDeadParts(
  platform: TestPlatform,
  { downMs, windowMs = 60_000, maxRecoveryMs = settleTimeoutMs, seed = chooseSeed() }: Counts,
): Promise<Outcome> {
  const findings = new Findings();
  const bystander = await makeBystander(platform, windowMs);
  let slowestMs = 0;
  for (const { part, whileDown, onceBack } of deadParts) {
    const others = otherProcesses(platform, part);
    const found = (what: string) => (error: unknown) => findings.check(false, `${part} ${what}: ${error}`);
    const baselineMs = await timed(() => expectNormal(bystander));
    await platform.stopProcess(part);
    const until = performance.now() + downMs;
    do {
      await whileDown(bystander).catch(found('is down'));
      await pause(pollIntervalMs);
    } while (performance.now() < until);
    await platform.startProcess(part);
    const since = performance.now();
    await eventually(() => onceBack(bystander), maxRecoveryMs + slack * baselineMs).catch(found('is up again'));
    slowestMs = Math.max(slowestMs, performance.now() - since);
    findings.check(otherProcesses(platform, part) === others, `another process ended while ${part} was down`);
  }
  const figure = `each down for ${downMs / 1000} s; slowest recovery ${(slowestMs / 1000).toFixed(1)} s, without a restart`;
  return { seed, tries: deadParts.length, figure, failures: findings.failures };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

const otherProcesses = ({ platform }: TestPlatform, part: string) =>
  JSON.stringify([...platform.processes].filter(([name]) => name !== part).map(([name, { pid }]) => [name, pid]));
