import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../../harness/agency.ts';
import type { TestPlatform } from '../../../harness/test-platform.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import {
  allRoutes,
  type Bystander,
  createClient,
  expectEventsPublished,
  expectPassed,
  expectUnavailable,
  makeBystander,
  served,
  stranger,
} from './dead-part-checks.ts';

const quota = 100;

/** A part of the platform, and what must work while it is down and once it is back. */
interface DeadPart {
  readonly part: string;
  /** Throws if a guarantee is broken while the part is down. */
  whileDown(bystander: Bystander): Promise<void>;
  /** Throws until the platform works as before. */
  onceBack(bystander: Bystander): Promise<void>;
}

const expectNormal = async (bystander: Bystander) => {
  await served(bystander, allRoutes);
  await createClient(bystander);
};

const deadParts: readonly DeadPart[] = [
  {
    part: 'nats',
    async whileDown(bystander) {
      await served(bystander, allRoutes);
      bystander.unpublished.push(await createClient(bystander));
    },
    onceBack: expectEventsPublished,
  },
  { part: 'mongodb', whileDown: (bystander) => served(bystander, []), onceBack: expectNormal },
  {
    part: 'identity',
    async whileDown(bystander) {
      await expectNormal(bystander);
      expectUnavailable(await stranger(bystander).get('/plans'));
    },
    async onceBack(bystander) {
      (await stranger(bystander).get('/plans')).expect(401);
    },
  },
  {
    part: 'clients-plans',
    async whileDown(bystander) {
      await served(bystander, ['/projects', '/templates', '/webhooks']);
      expectUnavailable(await bystander.ours.api.post('/projects', { client_email: 'a@example.test', name: 'Site' }));
    },
    onceBack: expectNormal,
  },
  { part: 'projects-templates', whileDown: (bystander) => served(bystander, ['/clients', '/plans', '/webhooks']), onceBack: expectNormal },
  {
    part: 'webhooks',
    whileDown: (bystander) => served(bystander, ['/clients', '/plans', '/projects', '/templates']),
    onceBack: expectNormal,
  },
  { part: 'sites', whileDown: expectNormal, onceBack: expectNormal },
  {
    part: 'redis',
    async whileDown(bystander) {
      await expectNormal(bystander);
      const share = Math.floor(quota / bystander.gateways.length);
      await expectPassed(bystander, share * bystander.gateways.length);
    },
    onceBack: (bystander) => expectPassed(bystander, quota),
  },
];

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
