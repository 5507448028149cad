import { randomUUID } from 'node:crypto';
import type { Api } from '../../../harness/api.ts';
import type { Random } from '../random.ts';
import type { LoadRequest } from './steady-load.ts';

const planCount = 50;

/** What the requests of a mixed load go to. */
export interface LoadTargets {
  readonly plans: readonly string[];
  /** The host of a published site. */
  readonly site: string;
}

/** Makes many plans, so that concurrent changes rarely hit the same one, and publishes a site. */
export async function makeLoadTargets(api: Api): Promise<LoadTargets> {
  const plans: string[] = [];
  while (plans.length < planCount) plans.push((await api.post('/plans', { name: 'Old', price: 1 })).expect(201).body.plan.id);
  return { plans, site: await publishedSite(api) };
}

/** Publishes a site and returns its host. */
async function publishedSite(api: Api): Promise<string> {
  const { client } = (await api.post('/clients', { email: `${randomUUID()}@example.test` })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Visited' })).expect(201).body;
  const builtFiles = { 'index.html': '<h1>Open</h1>' };
  return new URL((await api.post(`/projects/${project.id}/publish`, { builtFiles })).expect(200).body.url).host;
}

/** One of six requests: reads, a visit, a change and a creation. */
export function anyRequest(random: Random, { plans, site }: LoadTargets): LoadRequest {
  const planId = plans[random.integerUpTo(plans.length - 1)] ?? '';
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
