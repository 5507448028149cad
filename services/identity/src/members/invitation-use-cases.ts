import { AppError, type Role } from '@webkiln/contract';
import { auditEvent, type Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { accountByEmail } from '../accounts/account-store.ts';
import { answeringActor } from '../authorize.ts';
import type { MailAdmission } from '../mails/mail-admission.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { type InvitationState, type InvitationTokens, invite, inviteAgain, isBacked, toInvitation } from './invitation.ts';
import { deleteInvitation, insertInvitation, invitationById, openInvitation, openInvitations, saveInvitation } from './invitation-store.ts';
import { assertMayManage } from './member.ts';
import { allMembers, memberOf } from './member-store.ts';

const listInvitations = handle('accounts.ListInvitations', async (_request, caller) => {
  const [open, members] = await Promise.all([openInvitations(caller), allMembers(caller)]);
  const byId = new Map(members.map((member) => [member._id, member]));
  const invitations = open.filter((invitation) => isBacked(invitation, byId.get(invitation.invited_by) ?? null)).map(toInvitation);
  return { invitations, total: invitations.length };
});

const inviteMember = (mails: MailAdmission) =>
  handle('accounts.InviteMember', async ({ email, role: wanted }, caller) => {
    const actor = await answeringActor(caller);
    const role = wanted as Role;
    assertMayManage(actor, [role]);
    const account = await accountByEmail(email);
    if (account !== null && (await memberOf(caller, account._id)) !== null) throw new AppError('member_exists');
    const _id = newId(caller);
    // A repeat of a request that was carried out sends nothing.
    if ((await invitationById(caller, _id)) === null) await mails.assertMailsLeft(caller.principal.org_id);
    const draft = { _id, email, role, invited_by: actor._id };
    const change = invite(draft, new Date());
    return { invitation: toInvitation(await insertInvitation(caller, change.withAudit(sent(caller, draft)))) };
  });

const sent = (caller: Caller, { email, role }: Pick<InvitationState, 'email' | 'role'>) =>
  auditEvent(caller, 'invitation.sent', { kind: 'email', id: email, name: role });

const resendInvitation = (mails: MailAdmission) =>
  handle('accounts.ResendInvitation', async ({ invitation_id }, caller) => {
    const actor = await answeringActor(caller);
    await mails.assertMailsLeft(caller.principal.org_id);
    return saveWithRetry(caller, async () => {
      const current = await openInvitation(caller, invitation_id);
      assertMayManage(actor, [current.role]);
      const change = inviteAgain(current, actor._id, new Date()).withAudit(sent(caller, current));
      return { invitation: toInvitation(await saveInvitation(caller, current, change)) };
    });
  });

const withdrawInvitation = handle('accounts.WithdrawInvitation', async ({ invitation_id }, caller) => {
  if (!(await deleteInvitation(caller, invitation_id))) throw new AppError('invitation_not_found');
  return { deleted: true, id: invitation_id };
});

export const invitationUseCases = (tokens: InvitationTokens, mails: MailAdmission) => [
  listInvitations,
  inviteMember(mails),
  resendInvitation(mails),
  withdrawInvitation,
  acceptInvitation(tokens),
];
