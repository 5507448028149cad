import { type Caller, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';

const suspendedStatuses: ReadonlySet<string> = new Set(['suspended', 'churned']);

/**
 * True if the client's sites must show a notice instead of their content. A project without a client is never
 * suspended.
 */
export async function isClientSuspended(caller: Caller, clientId: string | null): Promise<boolean> {
  if (clientId === null) return false;
  const { client } = await call('clients.GetClient', { client_id: clientId }, onBehalf('projects-templates', caller));
  return suspendedStatuses.has(client?.status ?? '');
}
