import { AppError, type Role, validate } from '@webkiln/contract';
import { auditEvent, type Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId, saveWithRetry } from '@webkiln/store';
import { foldEmail } from '../accounts/account.ts';
import { accountByEmail } from '../accounts/account-store.ts';
import { answeringActor, forOperators } from '../authorize.ts';
import type { MailAdmission } from '../mails/mail-admission.ts';
import { acceptInvitation } from './accept-invitation.ts';
import { type InvitationState, type InvitationTokens, invite, inviteAgain, isBacked, toInvitation } from './invitation.ts';
import { deleteInvitation, insertInvitation, invitationById, openInvitation, openInvitations, saveInvitation } from './invitation-store.ts';
import { assertMayManage, type MemberState, NewMember } from './member.ts';
import { allMembers, memberById, memberOf } from './member-store.ts';

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
    return { invitation: toInvitation(await insertFirst(caller, mails, { email, role, invited_by: actor._id })) };
  });

async function insertFirst(caller: Caller, mails: MailAdmission, wanted: Pick<InvitationState, 'email' | 'role' | 'invited_by'>) {
  const account = await accountByEmail(wanted.email);
  if (account !== null && (await memberOf(caller, account._id)) !== null) throw new AppError('member_exists');
  const draft = { _id: newId(caller), ...wanted };
  // A repeat of a request that was carried out sends nothing.
  if ((await invitationById(caller, draft._id)) === null) await mails.assertMailsLeft(caller.principal.org_id);
  return insertInvitation(caller, invite(draft, new Date()).withAudit(sent(caller, draft)));
}

/** An operator's, for a member who may invite: it answers for the invitation. Throws `role_missing`. */
const inviteForMember = (mails: MailAdmission) =>
  handle(
    'identity.InviteMember',
    forOperators(async (request, caller) => {
      const { email, role } = validate(NewMember.omit({ password: true }), request);
      const inviter = await memberById(caller, request.invited_by);
      if (!isBacked({ role }, inviter)) throw new AppError('role_missing');
      const known = (await openInvitations(caller)).find(({ email_folded }) => email_folded === foldEmail(email));
      const { _id, expires_at } = await (known === undefined
        ? insertFirst(caller, mails, { email, role, invited_by: inviter._id })
        : sendAgain(caller, mails, known._id, inviter));
      return { invitation_id: _id, expires_at: expires_at.toISOString(), again: known !== undefined };
    }),
  );

const sent = (caller: Caller, { email, role }: Pick<InvitationState, 'email' | 'role'>) =>
  auditEvent(caller, 'invitation.sent', { kind: 'email', id: email, name: role });

const resendInvitation = (mails: MailAdmission) =>
  handle('accounts.ResendInvitation', async ({ invitation_id }, caller) => {
    const invitation = await sendAgain(caller, mails, invitation_id, await answeringActor(caller));
    return { invitation: toInvitation(invitation) };
  });

async function sendAgain(caller: Caller, mails: MailAdmission, invitation_id: string, actor: Pick<MemberState, '_id' | 'role'>) {
  await mails.assertMailsLeft(caller.principal.org_id);
  return saveWithRetry(caller, async () => {
    const current = await openInvitation(caller, invitation_id);
    assertMayManage(actor, [current.role]);
    return saveInvitation(caller, current, inviteAgain(current, actor._id, new Date()).withAudit(sent(caller, current)));
  });
}

const withdrawInvitation = handle('accounts.WithdrawInvitation', async ({ invitation_id }, caller) => {
  if (!(await deleteInvitation(caller, invitation_id))) throw new AppError('invitation_not_found');
  return { deleted: true, id: invitation_id };
});

export const invitationUseCases = (tokens: InvitationTokens, mails: MailAdmission) => [
  listInvitations,
  inviteMember(mails),
  inviteForMember(mails),
  resendInvitation(mails),
  withdrawInvitation,
  acceptInvitation(tokens),
];
