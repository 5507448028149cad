import { AppError } from '@webkiln/contract';
import { type Caller, serviceCaller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { logger } from '@webkiln/runtime';
import { saveWithRetry } from '@webkiln/store';
import { removePerson } from '../audit/reduce-log.ts';
import { assertOperator } from '../authorize.ts';
import { endInvitationsTo } from '../members/invitation-store.ts';
import { isLastOwner, type MemberRecord, membershipsAcross } from '../members/member-store.ts';
import { remove } from '../members/remove-member.ts';
import { forgetConnections } from '../oauth/store/connection-store.ts';
import { forgetGrants } from '../oauth/store/grant-store.ts';
import { organizationById, organizationsById } from '../organizations/organization-store.ts';
import { forgetPasskeys } from '../passkeys/passkey-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { forgetSessions } from '../sessions/session-store.ts';
import { forgetSecondFactor } from '../sign-in/tables/second-factor-store.ts';
import { deleteUsersOf } from '../users/user-store.ts';
import { foldEmail } from './account.ts';
import { type Account, accountByEmail, accountById, accountsToSweep, changeAccount, saveAccount } from './account-store.ts';
import type { ErasedAddresses } from './erased-addresses.ts';
import { decideOn, endAll } from './lock-account.ts';

/** The time that an attempt leaves for its answer. */
const answerMs = 5_000;

/**
 * Deletes an account: it can do nothing from now on, and the logs no longer name it when it is `done`. Repeats
 * continue. Throws `validation_failed`, and `last_owner` with the organizations that would have no owner.
 */
export const deleteAccount = (erased: ErasedAddresses) =>
  handle('identity.DeleteAccount', async ({ email, confirm, revoke_keys }, caller) => {
    assertOperator(caller);
    if (foldEmail(confirm) !== foldEmail(email)) {
      throw new AppError('validation_failed', [{ path: 'confirm', message: "must be the account's email, once more" }]);
    }
    const found = await accountByEmail(email);
    if (found !== null) await assertOwnersStay(found._id);
    const account = await decideOn(caller, email, 'account.deleted', ({ deleted_at }, now) => (deleted_at ? null : { deleted_at: now }));
    const shouldStop = () => Date.now() > caller.deadlineAt - answerMs;
    const { done, keys, embed_clients } = await eraseAccount(caller, account, { erased, revokeKeys: revoke_keys, shouldStop });
    return { account_id: account._id, done, keys, embed_clients };
  });

async function assertOwnersStay(account_id: string): Promise<void> {
  const alone: string[] = [];
  for (const member of await membershipsAcross(account_id)) {
    if ((await isLastOwner(member)) && (await needsOwner(member.org_id))) alone.push(member.org_id);
  }
  if (alone.length === 0) return;
  const names = [...(await organizationsById(alone)).values()].map(({ name, slug }) => `${name} (${slug})`);
  const message = `is the last owner of ${names.join(', ')}: make somebody else an owner there, or delete it with \`org delete\``;
  throw new AppError('last_owner', [{ path: 'email', message }]);
}

interface Erasing {
  readonly erased: ErasedAddresses;
  /** Revokes the API keys that the person made or rotated; otherwise they stay, as those of a removed member. */
  readonly revokeKeys: boolean;
  readonly shouldStop: () => boolean;
}

/** What a person was shown the secrets of. */
interface Known {
  readonly keys: KnownSecret[];
  readonly embed_clients: KnownSecret[];
}

interface KnownSecret {
  readonly org_id: string;
  readonly id: string;
  readonly prefix: string;
  readonly name: string;
}

/**
 * Deletes all that identity has of an account that is marked as deleted. Access ends first, the address goes last, so a
 * repeat finds what an interrupted attempt left. Not `done` if `shouldStop` ended it early. Throws `last_owner`.
 */
async function eraseAccount(caller: Caller, account: Account, { erased, revokeKeys, shouldStop }: Erasing) {
  const { _id, email_folded, erased_at } = account;
  const org_ids = (await membershipsOf(_id)).map(({ org_id }) => org_id);
  await endAll(caller, account);
  if (!erased_at) await erased.add(email_folded, new Date());
  const known: Known = { keys: [], embed_clients: [] };
  for (const member of await membershipsAcross(_id)) {
    const left = await leave(caller, member, { revokeKeys, isSweep: Boolean(erased_at) });
    known.keys.push(...left.keys);
    known.embed_clients.push(...left.embed_clients);
  }
  await deleteUsersOf(_id);
  await Promise.all([forgetSessions(_id), forgetPasskeys(_id), forgetSecondFactor(_id), forgetGrants(_id), forgetConnections(_id)]);
  if (erased_at) return { done: true, ...known };
  await endInvitationsTo(email_folded);
  const done = await removePerson(account, org_ids, shouldStop);
  if (done) await removeAddress(caller, _id);
  return { done, ...known };
}

/** An organization that is to be erased keeps no owner, and nor does one that an erased account was added to. */
async function leave(
  caller: Caller,
  member: MemberRecord,
  { revokeKeys, isSweep }: { revokeKeys: boolean; isSweep: boolean },
): Promise<Known> {
  const { org_id } = member;
  const own = { ...caller, principal: { ...caller.principal, org_id } };
  const mayBeLast = isSweep || !(await needsOwner(org_id));
  const { keys, embed_clients } = await saveWithRetry(caller, () => remove(own, member, { revokeKeys, mayBeLast }));
  return {
    keys: keys.map(({ id, prefix, name }) => ({ org_id, id, prefix, name })),
    embed_clients: embed_clients.map(({ id, secret_prefix, name }) => ({ org_id, id, prefix: secret_prefix, name })),
  };
}

/** False for an organization that is to be erased. */
async function needsOwner(org_id: string): Promise<boolean> {
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

/** Longer than any request takes. */
const settledMs = 60_000;
const maxAtOnce = 100;

/** Ends deletions that broke off, and finds what requests added while an account was deleted. */
export async function sweepDeletedAccounts(erased: ErasedAddresses): Promise<void> {
  for (const account of await accountsToSweep(new Date(Date.now() - settledMs), maxAtOnce)) {
    try {
      await eraseAccount(serviceCaller('identity'), account, { erased, revokeKeys: false, shouldStop: () => false });
      if (account.erased_at) await changeAccount(serviceCaller('identity'), account._id, { swept_at: new Date() });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logger.warn({ err: error, account_id: account._id }, 'an account is not deleted yet; the next sweep tries again');
    }
  }
}
