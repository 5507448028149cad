import { AppError } from '@webkiln/contract';
import { type Caller, onBehalf } from '@webkiln/messages';
import { isOpen } from '../clients/client.ts';
import { type ClientRecord, clientById } from '../clients/client-store.ts';
import type { Invitation } from './invitation-token.ts';

/** The token authorizes the call: this service acts itself, in the organization that the token names. */
export const callerForInvitation = (caller: Caller, { org_id }: Invitation): Caller => onBehalf('clients-plans', caller, org_id);

/** The client of an open invitation. Throws `invitation_not_found` if the invitation is not open. */
export async function invitedClient(caller: Caller, { client_id, invitation }: Invitation): Promise<ClientRecord> {
  const client = await clientById(caller, client_id);
  if (client === null || !isOpen(client, invitation)) throw new AppError('invitation_not_found');
  return client;
}
