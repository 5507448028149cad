import { newOrganization } from '../organization.ts';
import type { BenchPlatform } from '../platform.ts';

/** Publishes a site of these files through the platform's own door; returns its host. */
export async function publishSite({ baseUrl }: BenchPlatform, builtFiles: Readonly<Record<string, string>>): Promise<string> {
  const { headers } = await newOrganization(1);
  const send = async (method: string, path: string, body: unknown) => {
    const init = { method, headers: { ...headers[0], 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ client: { id: string }; project: { id: string }; url: string }>;
  };
  const client_email = 'owner@example.test';
  const { client } = await send('POST', '/clients', { email: client_email });
  await send('PATCH', `/clients/${client.id}`, { status: 'active' });
  const { project } = await send('POST', '/projects', { client_email, name: 'Bench' });
  const { url } = await send('POST', `/projects/${project.id}/publish`, { builtFiles });
  return new URL(url).host;
}
