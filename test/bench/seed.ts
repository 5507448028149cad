import { call, callerFor, connectPeers, operatorPrincipal } from '@webkiln/rpc';
import type { BenchPlatform } from './platform.ts';
import { spread } from './spread.ts';

export interface Seeded {
  /** One Authorization header per key, all of one organization. */
  readonly headers: readonly { readonly authorization: string }[];
  readonly projectId: string;
}

const timeoutMs = 10_000;
const sitesPerClient = 100;

/** An organization with `keys` keys and `projects` projects of 100 clients each, made through the platform's own doors. */
export async function seed(platform: BenchPlatform, { keys, projects }: { keys: number; projects: number }): Promise<Seeded> {
  const { secrets, processes, baseUrl } = platform;
  connectPeers({
    issuer: 'operator',
    signingKey: secrets.OPERATOR_SIGNING_KEY,
    transport: 'carried',
    addresses: { identity: `127.0.0.1:${processes.identity?.port}` },
  });
  const { organization } = await call('identity.CreateOrganization', { name: 'Bench' }, callerFor(operatorPrincipal(), { timeoutMs }));
  const operator = operatorPrincipal(organization?.id);
  const headers = await spread(keys, async (turn) => {
    const request = { name: `bench ${turn}`, permissions: ['read', 'write'] };
    const { secret } = await call('identity.CreateKey', request, callerFor(operator, { timeoutMs }));
    return { authorization: `Bearer ${secret}` };
  });
  const send = async (turn: number, method: string, path: string, body: unknown) => {
    const init = { method, headers: { ...headers[turn % headers.length], 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${baseUrl}${path}`, init);
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
