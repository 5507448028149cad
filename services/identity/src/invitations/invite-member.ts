import { AppError, type Role } from '@webkiln/contract';
import { auditEvent } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { accountByEmail } from '../accounts/account-store.ts';
import { currentMember } from '../authorize.ts';
import { assertMayManage } from '../members/member.ts';
import { memberOf } from '../members/member-store.ts';
import { invite, toInvitation } from './invitation.ts';
import { insertInvitation } from './invitation-store.ts';

export const inviteMember = handle('accounts.InviteMember', async ({ email, role: wanted }, caller) => {
  const actor = await currentMember(caller);
  const role = wanted as Role;
  assertMayManage(actor, [role]);
  const account = await accountByEmail(email);
  if (account !== null && (await memberOf(caller, account._id)) !== null) throw new AppError('member_exists');
  const draft = { _id: newId(caller), email, role, invited_by: actor._id };
  const { state, events } = invite(draft, new Date());
  const sent = auditEvent(caller, 'invitation.sent', { kind: 'email', id: email, name: role });
  return { invitation: toInvitation(await insertInvitation(caller, { state, events: [...events, sent] })) };
});
