import { newOrganization } from '../organization.ts';
import type { BenchPlatform } from '../platform.ts';
import { spread } from '../spread.ts';

type Files = Readonly<Record<string, string>>;

const client_email = 'owner@example.test';
/** A key has 100 requests a minute, and a site takes two. */
const sitesPerKey = 40;

/** Publishes so many sites of these files through the platform's own door, all of one organization; returns their hosts. */
export async function publishSites({ baseUrl }: BenchPlatform, count: number, builtFiles: Files): Promise<string[]> {
  const { headers } = await newOrganization(Math.ceil(count / sitesPerKey) + 1);
  const send = async (method: string, path: string, body: unknown, key = headers[0]) => {
    const init = { method, headers: { ...key, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ client: { id: string }; project: { id: string }; url: string }>;
  };
  const { client } = await send('POST', '/clients', { email: client_email });
  await send('PATCH', `/clients/${client.id}`, { status: 'active' });
  return spread(count, async (turn) => {
    const key = headers[1 + (turn % (headers.length - 1))];
    const { project } = await send('POST', '/projects', { client_email, name: `Bench ${turn}` }, key);
    const { url } = await send('POST', `/projects/${project.id}/publish`, { builtFiles }, key);
    return new URL(url).host;
  });
}

/** Publishes one site; returns its host. */
export async function publishSite(platform: BenchPlatform, builtFiles: Files): Promise<string> {
  const [host = ''] = await publishSites(platform, 1, builtFiles);
  return host;
}
