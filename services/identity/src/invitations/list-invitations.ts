import { handle } from '@webkiln/rpc';
import { toInvitation } from './invitation.ts';
import { openInvitations } from './invitation-store.ts';

export const listInvitations = handle('accounts.ListInvitations', async (_request, caller) => {
  const invitations = (await openInvitations(caller)).map(toInvitation);
  return { invitations, total: invitations.length };
});
