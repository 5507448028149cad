import { AppError } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/rpc';
import { isOpen } from '../clients/client.ts';
import { type ClientRecord, clientById } from '../clients/client-store.ts';
import type { Invitation } from './invitation-token.ts';

/** The token stands for the caller: what it opens is done by this service, in the organization that the token names. */
export const actingFor = (caller: Caller, { org_id }: Invitation): Caller => onBehalf('clients-plans', caller, org_id);

/** The client that an open invitation was sent to; throws `invitation_not_found` for one that is not open any more. */
export async function invitedClient(caller: Caller, { client_id, invitation }: Invitation): Promise<ClientRecord> {
  const client = await clientById(caller, client_id);
  if (client === null || !isOpen(client, invitation)) throw new AppError('invitation_not_found');
  return client;
}
