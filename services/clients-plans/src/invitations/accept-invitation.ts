import { call, handle } from '@webkiln/rpc';
import { saveChange, saveWithRetry } from '@webkiln/store';
import { changeClient } from '../clients/client.ts';
import { ClientModel } from '../clients/client-store.ts';
import type { InvitationTokens } from './invitation-token.ts';
import { actingFor, invitedClient } from './invited-client.ts';

/** The account comes first: an active client who cannot sign in would be worse than an account that waits. Either step may be repeated. */
export const acceptInvitation = (tokens: InvitationTokens) =>
  handle('clients.AcceptInvitation', async ({ token, password }, caller) => {
    const invitation = tokens.read(token, new Date());
    const acting = actingFor(caller, invitation);
    const { user_id, email, name } = await invitedClient(acting, invitation);
    await call('identity.ActivateUser', { user_id, client_id: invitation.client_id, email, password, name }, acting);
    return saveWithRetry(acting, async () => {
      const current = await invitedClient(acting, invitation);
      const change = changeClient(current, { status: 'active' });
      if (change !== null) await saveChange(ClientModel, acting, current, change);
      return { email, org_id: invitation.org_id };
    });
  });
