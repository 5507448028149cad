import { runConcurrently } from '../concurrently.ts';
import { newOrganization } from '../organization.ts';
import type { BenchPlatform } from '../platform.ts';

type Files = Readonly<Record<string, string>>;

const client_email = 'owner@example.test';
/** A key has 100 requests per minute, and a site takes two. */
const sitesPerKey = 40;

/** Publishes `count` sites with these files through the public API, all in one organization. Returns their hosts. */
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
  return runConcurrently(count, async (index) => {
    const key = headers[1 + (index % (headers.length - 1))];
    const { project } = await send('POST', '/projects', { client_email, name: `Bench ${index}` }, key);
    const { url } = await send('POST', `/projects/${project.id}/publish`, { builtFiles }, key);
    return new URL(url).host;
  });
}

/** Publishes one site and returns its host. */
export async function publishSite(platform: BenchPlatform, builtFiles: Files): Promise<string> {
  const [host = ''] = await publishSites(platform, 1, builtFiles);
  return host;
}
