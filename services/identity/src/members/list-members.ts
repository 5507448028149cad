import { handle } from '@webkiln/rpc';
import { emailsOf } from '../accounts/account-store.ts';
import { assertInternal, existingOrganization } from '../authorize.ts';
import { toMember } from './member.ts';
import { allMembers } from './member-store.ts';

export const listMembers = handle('identity.ListMembers', async (_request, caller) => {
  assertInternal(caller);
  await existingOrganization(caller);
  const members = await allMembers(caller);
  const emails = await emailsOf(members.map(({ account_id }) => account_id));
  return { members: members.map((member) => toMember(member, emails.get(member.account_id) ?? '')) };
});
