import { handle } from '@webkiln/rpc';
import { allMembers } from '../members/member-store.ts';
import { isBacked, toInvitation } from './invitation.ts';
import { openInvitations } from './invitation-store.ts';

export const listInvitations = handle('accounts.ListInvitations', async (_request, caller) => {
  const [open, members] = await Promise.all([openInvitations(caller), allMembers(caller)]);
  const byId = new Map(members.map((member) => [member._id, member]));
  const invitations = open.filter((invitation) => isBacked(invitation, byId.get(invitation.invited_by) ?? null)).map(toInvitation);
  return { invitations, total: invitations.length };
});
