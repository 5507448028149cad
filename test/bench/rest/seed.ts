import { type BenchOrganization, newOrganization } from '../organization.ts';
import type { BenchPlatform } from '../platform.ts';
import { spread } from '../spread.ts';

export interface Seeded extends Pick<BenchOrganization, 'headers'> {
  readonly projectId: string;
}

const sitesPerClient = 100;

/** An organization with `keys` keys and `projects` projects of 100 clients each, made through the platform's own doors. */
export async function seed(platform: BenchPlatform, { keys, projects }: { keys: number; projects: number }): Promise<Seeded> {
  const { headers } = await newOrganization(keys);
  const send = async (turn: number, method: string, path: string, body: unknown) => {
    const init = { method, headers: { ...headers[turn % headers.length], 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${platform.baseUrl}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ client: { id: string; email: string }; project: { id: string } }>;
  };
  const owners = await spread(Math.ceil(projects / sitesPerClient), async (turn) => {
    const { client } = await send(turn, 'POST', '/clients', { email: `owner-${turn}@example.test` });
    await send(turn, 'PATCH', `/clients/${client.id}`, { status: 'active' });
    return client.email;
  });
  const made = await spread(projects, async (turn) => {
    const body = { client_email: owners[turn % owners.length], name: `Site ${turn}`, description: 'A site' };
    return (await send(turn, 'POST', '/projects', body)).project.id;
  });
  return { headers, projectId: made[0] ?? '' };
}
