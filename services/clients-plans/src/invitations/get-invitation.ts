import { call, handle } from '@webkiln/rpc';
import type { InvitationTokens } from './invitation-token.ts';
import { callerForInvitation, invitedClient } from './invited-client.ts';

export const getInvitation = (tokens: InvitationTokens) =>
  handle('clients.GetInvitation', async ({ token }, caller) => {
    const invitation = tokens.read(token, new Date());
    const service = callerForInvitation(caller, invitation);
    const { email, status, user_id } = await invitedClient(service, invitation);
    const { exists, activated } = await call('identity.HasAccount', { email, user_id }, service);
    return { email, has_account: exists, accepted: activated && status === 'active', org_id: invitation.org_id };
  });
