import { handle } from '@webkiln/rpc';
import { accountsById } from '../accounts/account-store.ts';
import { allMembers } from '../members/member-store.ts';
import { toShownMember } from './shown-member.ts';

export const listMembers = handle('accounts.ListMembers', async (_request, caller) => {
  const members = await allMembers(caller);
  const accounts = await accountsById(members.map(({ account_id }) => account_id));
  const shown = members.map((member) => toShownMember(member, accounts.get(member.account_id)));
  return { members: shown, total: shown.length };
});
