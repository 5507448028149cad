import type { Caller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { accountsById } from '../accounts/account-store.ts';
import { assertInternal, currentOrganization } from '../authorize.ts';
import { toMember } from './member.ts';
import { allMembers } from './member-store.ts';

const list = async (_request: unknown, caller: Caller) => {
  const members = await allMembers(caller);
  const accounts = await accountsById(members.map(({ account_id }) => account_id));
  return { members: members.map((member) => toMember(member, accounts.get(member.account_id))), total: members.length };
};

export const listMembers = [
  handle('identity.ListMembers', async (request, caller) => {
    assertInternal(caller);
    await currentOrganization(caller);
    return list(request, caller);
  }),
  handle('accounts.ListMembers', list),
];
