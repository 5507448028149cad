import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../harness/agency.ts';
import type { TestPlatform } from '../../harness/test-platform.ts';
import {
  allRoutes,
  type Bystander,
  expectAway,
  hasToldAll,
  letsThrough,
  makeBystander,
  makesClient,
  served,
  stranger,
} from './dead-part-checks.ts';
import { chooseSeed, Findings, type Outcome } from './outcome.ts';

const quota = 100;
const backWithinMs = 10_000;
const lookAgainMs = 500;
/** How many times what it takes undisturbed the return may take on top: the machine may be of any speed. */
const slack = 10;

interface DeadPart {
  readonly part: string;
  /** Throws unless what must hold while it is away does. */
  away(bystander: Bystander): Promise<void>;
  /** Throws until all is as before. */
  back(bystander: Bystander): Promise<void>;
}

const asBefore = async (bystander: Bystander) => {
  await served(bystander, allRoutes);
  await makesClient(bystander);
};

const deadParts: readonly DeadPart[] = [
  {
    part: 'nats',
    async away(bystander) {
      await served(bystander, allRoutes);
      bystander.unheard.push(await makesClient(bystander));
    },
    back: hasToldAll,
  },
  { part: 'mongodb', away: (bystander) => served(bystander, []), back: asBefore },
  {
    part: 'identity',
    async away(bystander) {
      await asBefore(bystander);
      expectAway(await stranger(bystander).get('/plans'));
    },
    async back(bystander) {
      (await stranger(bystander).get('/plans')).expect(401);
    },
  },
  {
    part: 'clients-plans',
    async away(bystander) {
      await served(bystander, ['/projects', '/templates', '/webhooks']);
      expectAway(await bystander.ours.api.post('/projects', { client_email: 'a@example.test', name: 'Site' }));
    },
    back: asBefore,
  },
  { part: 'projects-templates', away: (bystander) => served(bystander, ['/clients', '/plans', '/webhooks']), back: asBefore },
  { part: 'webhooks', away: (bystander) => served(bystander, ['/clients', '/plans', '/projects', '/templates']), back: asBefore },
  { part: 'sites', away: asBefore, back: asBefore },
  {
    part: 'redis',
    async away(bystander) {
      await asBefore(bystander);
      const share = Math.floor(quota / bystander.doors.length);
      await letsThrough(bystander, share * bystander.doors.length);
    },
    back: (bystander) => letsThrough(bystander, quota),
  },
];

interface Counts {
  /** For how long each part is away. */
  readonly downMs: number;
  /** The platform's rate limit has this window; default a minute. */
  readonly windowMs?: number;
  readonly seed?: number;
}

/** Promise 11: each part in turn is away for a while; what does not need it goes on, and 10 s after its return all is as before. */
export async function surviveDeadParts(
  platform: TestPlatform,
  { downMs, windowMs = 60_000, seed = chooseSeed() }: Counts,
): Promise<Outcome> {
  const findings = new Findings();
  const bystander = await makeBystander(platform, windowMs);
  let slowestMs = 0;
  for (const { part, away, back } of deadParts) {
    const others = otherProcesses(platform, part);
    const found = (what: string) => (error: unknown) => findings.check(false, `${part} ${what}: ${error}`);
    const calmMs = await timed(() => asBefore(bystander));
    await platform.stopProcess(part);
    const until = performance.now() + downMs;
    do {
      await away(bystander).catch(found('is away'));
      await pause(lookAgainMs);
    } while (performance.now() < until);
    await platform.startProcess(part);
    const since = performance.now();
    await eventually(() => back(bystander), backWithinMs + slack * calmMs).catch(found('is back'));
    slowestMs = Math.max(slowestMs, performance.now() - since);
    findings.check(otherProcesses(platform, part) === others, `another process ended while ${part} was away`);
  }
  const figure = `each away for ${downMs / 1000} s; slowest return ${(slowestMs / 1000).toFixed(1)} s, without a restart`;
  return { seed, tries: deadParts.length, figure, failures: findings.failures };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

const otherProcesses = ({ platform }: TestPlatform, part: string) =>
  JSON.stringify([...platform.processes].filter(([name]) => name !== part).map(([name, { pid }]) => [name, pid]));
