import { call, handle } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { changeClient } from '../clients/client.ts';
import { ClientModel } from '../clients/client-store.ts';
import type { InvitationTokens } from './invitation-token.ts';
import { callerForInvitation, invitedClient } from './invited-client.ts';

/** The account is activated first: an active client without an account could not sign in. Both steps can be retried. */
export const acceptInvitation = (tokens: InvitationTokens) =>
  handle('clients.AcceptInvitation', async ({ token, password }, caller) => {
    const invitation = tokens.read(token, new Date());
    const service = callerForInvitation(caller, invitation);
    const { user_id, email, name } = await invitedClient(service, invitation);
    await call('identity.ActivateUser', { user_id, client_id: invitation.client_id, email, password, name }, service);
    return saveWithRetry(service, async () => {
      const current = await invitedClient(service, invitation);
      const change = changeClient(current, { status: 'active' });
      if (change !== null) await saveChange(ClientModel, service, current, change);
      return { email, org_id: invitation.org_id };
    });
  });
