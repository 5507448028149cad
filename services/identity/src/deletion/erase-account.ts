import { AppError } from '@webkiln/contract';
import type { Caller } from '@webkiln/messages';
import { saveWithRetry } from '@webkiln/store';
import { type Account, accountById, saveAccount } from '../accounts/account-store.ts';
import { endAll } from '../accounts/brake-account.ts';
import { removePerson } from '../audit/reduce-log.ts';
import { endInvitationsTo } from '../invitations/invitation-store.ts';
import { type MemberRecord, membershipsAcross } from '../members/member-store.ts';
import { remove } from '../members/remove-member.ts';
import { forgetConnections } from '../oauth/store/connection-store.ts';
import { forgetGrants } from '../oauth/store/grant-store.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { forgetPasskeys } from '../passkeys/passkey-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { forgetSessions } from '../sessions/session-store.ts';
import { forgetSecondFactor } from '../sign-in/tables/second-factor-store.ts';
import { deleteUsersOf } from '../users/user-store.ts';
import type { ErasedAddresses } from './erased-addresses.ts';

export interface Erasing {
  readonly erased: ErasedAddresses;
  /** Revokes the API keys that the person made or rotated; otherwise they stay, as those of a removed member. */
  readonly revokeKeys: boolean;
  readonly shouldStop: () => boolean;
}

interface KnownKey {
  readonly org_id: string;
  readonly id: string;
  readonly prefix: string;
  readonly name: string;
}

/**
 * Deletes all that identity has of an account that is marked as deleted. Access ends first, the address goes last, so a
 * repeat finds what an interrupted attempt left. Not `done` if `shouldStop` ended it early. Throws `last_owner`.
 */
export async function eraseAccount(caller: Caller, account: Account, { erased, revokeKeys, shouldStop }: Erasing) {
  const { _id, email_folded, erased_at } = account;
  const org_ids = (await membershipsOf(_id)).map(({ org_id }) => org_id);
  await endAll(caller, account);
  if (!erased_at) await erased.add(email_folded, new Date());
  const keys: KnownKey[] = [];
  for (const member of await membershipsAcross(_id))
    keys.push(...(await leave(caller, member, { revokeKeys, isSweep: Boolean(erased_at) })));
  await deleteUsersOf(_id);
  await Promise.all([forgetSessions(_id), forgetPasskeys(_id), forgetSecondFactor(_id), forgetGrants(_id), forgetConnections(_id)]);
  if (erased_at) return { done: true, keys };
  await endInvitationsTo(email_folded);
  const done = await removePerson(account, org_ids, shouldStop);
  if (done) await removeAddress(caller, _id);
  return { done, keys };
}

/** An organization that is to be erased keeps no owner, and nor does one that an erased account was added to. */
async function leave(
  caller: Caller,
  member: MemberRecord,
  { revokeKeys, isSweep }: { revokeKeys: boolean; isSweep: boolean },
): Promise<KnownKey[]> {
  const { org_id } = member;
  const own = { ...caller, principal: { ...caller.principal, org_id } };
  const mayBeLast = isSweep || !(await needsOwner(org_id));
  const keys = await saveWithRetry(caller, () => remove(own, member, { revokeKeys, mayBeLast }));
  return keys.map(({ id, prefix, name }) => ({ org_id, id, prefix, name }));
}

/** False for an organization that is to be erased. */
export async function needsOwner(org_id: string): Promise<boolean> {
  const organization = await organizationById(org_id);
  return organization !== null && !organization.erase_at && !organization.erasure_round && !organization.erased_at;
}

const removeAddress = (caller: Caller, _id: string): Promise<void> =>
  saveWithRetry(caller, async () => {
    const account = await accountById(_id);
    if (account === null || account.erased_at) return;
    if (!account.deleted_at) throw new AppError('edited_meanwhile');
    await saveAccount(caller, account, {
      email: 'deleted',
      email_folded: `deleted ${_id}`,
      name: null,
      password_hash: null,
      two_factor: false,
      wanted_organization: null,
      erased_at: new Date(),
    });
  });
