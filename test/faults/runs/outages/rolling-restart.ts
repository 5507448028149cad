import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { agency } from '../../../harness/agency.ts';
import type { Api } from '../../../harness/api.ts';
import { chooseSeed, Findings, type Outcome } from '../outcome.ts';
import { Random } from '../random.ts';
import { listAll } from '../records/compare-records.ts';
import { type LoadedPlatform, type LoadRequest, SteadyLoad } from './steady-load.ts';

const perSecond = 100;
const planCount = 50;
const unlimited = 1_000_000;
/** Duration of the load before the first restart and after each. */
const betweenMs = 2500;

export const oneOfEachKind = ['identity', 'clients-plans', 'projects-templates', 'webhooks', 'sites', 'gateway'];
const all = oneOfEachKind.flatMap((name) => [name, `${name}-2`]);

interface Counts {
  readonly rounds: number;
  /** The processes that are restarted; by default all. */
  readonly restarted?: readonly string[];
  readonly seed?: number;
}

interface RestartedPlatform extends LoadedPlatform {
  /** Ends a process; resolves when its replacement is ready. */
  replace(name: string, signal: 'SIGTERM'): Promise<void>;
}

/** Sends SIGTERM to one process after another under 100 requests per second. Each process has a second replica. */
export async function restartUnderLoad(
  platform: RestartedPlatform,
  { rounds, restarted = all, seed = chooseSeed() }: Counts,
): Promise<Outcome> {
  const findings = new Findings();
  const random = new Random(seed);
  const { api } = await agency(platform.facts, { rateLimit: unlimited });
  // Many plans, so that concurrent changes rarely hit the same one.
  const plans: string[] = [];
  while (plans.length < planCount) plans.push((await api.post('/plans', { name: 'Old', price: 1 })).expect(201).body.plan.id);
  const site = await publishedSite(api);
  const load = new SteadyLoad(platform, {
    key: api.key ?? '',
    perSecond,
    next: () => anyRequest(random, plans[random.integerUpTo(planCount - 1)] ?? '', site),
  });
  await pause(betweenMs);
  for (let round = 0; round < rounds; round++) {
    for (const name of restarted) {
      const from = load.samples.length;
      await platform.replace(name, 'SIGTERM');
      await pause(betweenMs);
      for (const { request, outcome } of load.samples.slice(from)) {
        findings.check(Number(outcome) < 300, `${name}: ${request}: ${outcome}`);
      }
    }
  }
  await load.finish();
  const made = load.samples.filter(({ outcome }) => outcome === 201).length;
  const stored = (await listAll(api, 'templates')).length;
  findings.check(stored === made, `${made} templates were acknowledged, ${stored} are stored`);
  const failed = load.samples.filter(({ outcome }) => !(Number(outcome) < 300)).length;
  const figure = `${load.samples.length} requests, ${failed} reset, refused or answered 5xx`;
  return { seed, tries: rounds * restarted.length, figure, failures: findings.failures };
}

/** Publishes a site and returns its host. */
async function publishedSite(api: Api): Promise<string> {
  const { client } = (await api.post('/clients', { email: `${randomUUID()}@example.test` })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Visited' })).expect(201).body;
  const builtFiles = { 'index.html': '<h1>Open</h1>' };
  return new URL((await api.post(`/projects/${project.id}/publish`, { builtFiles })).expect(200).body.url).host;
}

function anyRequest(random: Random, planId: string, site: string): LoadRequest {
  const name = randomUUID();
  const requests: LoadRequest[] = [
    { method: 'GET', path: `/plans/${planId}` },
    { method: 'GET', path: '/projects' },
    { method: 'GET', path: '/webhooks' },
    { method: 'GET', path: '/', site },
    { method: 'PATCH', path: `/plans/${planId}`, body: { name } },
    { method: 'POST', path: '/templates', body: { name }, headers: { 'idempotency-key': name } },
  ];
  return requests[random.integerUpTo(5)] as LoadRequest;
}
