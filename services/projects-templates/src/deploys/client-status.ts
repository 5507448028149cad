import { type Caller, call, onBehalf } from '@webkiln/rpc';

const suspending: ReadonlySet<string> = new Set(['suspended', 'churned']);

/** Whether the client's sites are to show a notice in their place. Without a client nothing suspends a site. */
export async function isSuspended(caller: Caller, clientId: string | null): Promise<boolean> {
  if (clientId === null) return false;
  const { client } = await call('clients.GetClient', { client_id: clientId }, onBehalf('projects-templates', caller));
  return suspending.has(client?.status ?? '');
}
