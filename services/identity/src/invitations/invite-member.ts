import { AppError, type Role } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { accountByEmail } from '../accounts/account-store.ts';
import { audited } from '../audit/audited.ts';
import { invite, toInvitation } from '../invitations/invitation.ts';
import { insertInvitation } from '../invitations/invitation-store.ts';
import { assertMayManage } from '../members/member.ts';
import { memberOf } from '../members/member-store.ts';
import { askingMember } from './signed-in.ts';

export const inviteMember = handle('accounts.InviteMember', async ({ email, role: wanted }, caller) => {
  const asking = await askingMember(caller);
  const role = wanted as Role;
  assertMayManage(asking, [role]);
  const account = await accountByEmail(email);
  if (account !== null && (await memberOf(caller, account._id)) !== null) throw new AppError('member_exists');
  const draft = { _id: newId(caller), email, role, invited_by: asking._id };
  const { state, events } = invite(draft, new Date());
  const sent = audited(caller, 'invitation.sent', { kind: 'email', id: email, name: role });
  return { invitation: toInvitation(await insertInvitation(caller, { state, events: [...events, sent] })) };
});
