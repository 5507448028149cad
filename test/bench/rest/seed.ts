import { runConcurrently } from '../concurrently.ts';
import { type BenchOrganization, newOrganization } from '../organization.ts';
import type { BenchPlatform } from '../platform.ts';

export interface Seeded extends Pick<BenchOrganization, 'headers'> {
  readonly projectId: string;
}

const sitesPerClient = 100;

/** Creates an organization with `keys` API keys and `projects` projects, 100 per client, through the public API. */
export async function seed(platform: BenchPlatform, { keys, projects }: { keys: number; projects: number }): Promise<Seeded> {
  const { headers } = await newOrganization(keys);
  const send = async (index: number, method: string, path: string, body: unknown) => {
    const init = {
      method,
      headers: { ...headers[index % headers.length], 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await fetch(`${platform.baseUrl}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ client: { id: string; email: string }; project: { id: string } }>;
  };
  const owners = await runConcurrently(Math.ceil(projects / sitesPerClient), async (index) => {
    const { client } = await send(index, 'POST', '/clients', { email: `owner-${index}@example.test` });
    await send(index, 'PATCH', `/clients/${client.id}`, { status: 'active' });
    return client.email;
  });
  const made = await runConcurrently(projects, async (index) => {
    const body = { client_email: owners[index % owners.length], name: `Site ${index}`, description: 'A site' };
    return (await send(index, 'POST', '/projects', body)).project.id;
  });
  return { headers, projectId: made[0] ?? '' };
}
