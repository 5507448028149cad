import { AppError, type Role } from '@webkiln/contract';
import { auditEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { accountByEmail } from '../accounts/account-store.ts';
import { currentMember } from '../authorize.ts';
import type { MailAdmission } from '../mail-limits/mail-admission.ts';
import { assertMayManage } from '../members/member.ts';
import { memberOf } from '../members/member-store.ts';
import { invite, toInvitation } from './invitation.ts';
import { insertInvitation, invitationById } from './invitation-store.ts';

export const inviteMember = (mails: MailAdmission) =>
  handle('accounts.InviteMember', async ({ email, role: wanted }, caller) => {
    const actor = await currentMember(caller);
    const role = wanted as Role;
    assertMayManage(actor, [role]);
    const account = await accountByEmail(email);
    if (account !== null && (await memberOf(caller, account._id)) !== null) throw new AppError('member_exists');
    const _id = newId(caller);
    // A repeat of a request that was carried out sends nothing.
    if ((await invitationById(caller, _id)) === null) await mails.assertMailsLeft(caller.principal.org_id);
    const draft = { _id, email, role, invited_by: actor._id };
    const change = invite(draft, new Date());
    const sent = auditEvent(caller, 'invitation.sent', { kind: 'email', id: email, name: role });
    return { invitation: toInvitation(await insertInvitation(caller, change.withAudit(sent))) };
  });
