import { randomUUID } from 'node:crypto';
import { agency } from '../../../harness/agency.ts';
import type { PlatformFacts } from '../../../harness/test-platform.ts';

/** Publishes a site of one page, of an organization of its own; returns its address. */
export async function publishedSite(facts: PlatformFacts, page: string): Promise<string> {
  const { api } = await agency(facts, { rateLimit: 1_000_000 });
  const { client } = (await api.post('/clients', { email: `${randomUUID()}@example.test`, name: 'Hostile' })).expect(201).body;
  (await api.patch(`/clients/${client.id}`, { status: 'active' })).expect(200);
  const { project } = (await api.post('/projects', { client_email: client.email, name: 'Hostile' })).expect(201).body;
  const published = await api.post(`/projects/${project.id}/publish`, { builtFiles: { 'index.html': page } });
  return published.expect(200).body.url;
}
