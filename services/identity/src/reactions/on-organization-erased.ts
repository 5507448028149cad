import { consume, consumerOf } from '@webkiln/events';
import { serviceCaller } from '@webkiln/messages';
import { eraseOrganization, scoped, unscoped, where } from '@webkiln/store';
import { AccountModel, changeAccount } from '../accounts/account-store.ts';
import type { ErasedAddresses } from '../accounts/erased-addresses.ts';
import { reduceEntries, removePerson } from '../audit/reduce-log.ts';
import { endInvitationsTo } from '../members/invitation-store.ts';
import { MemberModel } from '../members/member-store.ts';
import { saveReport } from '../organizations/erasure-store.ts';
import { organizationsById } from '../organizations/organization-store.ts';
import { PasskeyModel } from '../passkeys/passkey-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { SessionModel } from '../sessions/session-store.ts';
import { SecondFactorModel } from '../sign-in/tables/second-factor-store.ts';
import { UserModel } from '../users/user-store.ts';

/** Identity's own part of an erasure. */
export function onOrganizationErased(erased: ErasedAddresses): void {
  consume({
    ...consumerOf('identity-erasure'),
    concurrency: 1,
    atLeastOnceHandler: async ({ data: { organization_id, round } }) => {
      const deleted = await eraseInIdentity(organization_id, erased);
      await saveReport(serviceCaller('identity'), organization_id, round, 'identity', deleted);
    },
  });
}

const batchSize = 100;

/**
 * Deletes all that identity has of an organization, with the accounts of people who belong to no other one. Its audit
 * log stays, reduced to ids. Returns how many records were changed or deleted. Safe to repeat and to interrupt.
 */
export async function eraseInIdentity(org_id: string, erased: ErasedAddresses): Promise<number> {
  // Refuses new memberships before it looks for people: one that it deleted alone would leave its account behind.
  const others = await eraseOrganization(org_id, [MemberModel, UserModel]);
  const people = (await erasePeople(org_id, MemberModel, erased)) + (await erasePeople(org_id, UserModel, erased));
  return others + people + (await reduceEntries(org_id)) + (await eraseOrganization(org_id));
}

/** A membership goes after its account: a process that dies in between finds the rest by it. */
async function erasePeople(org_id: string, model: typeof MemberModel | typeof UserModel, erased: ErasedAddresses): Promise<number> {
  const records = scoped(model as typeof UserModel, { org_id });
  for (let deleted = 0; ; ) {
    const found = await records.find({}, { fields: ['account_id'], limit: batchSize });
    for (const { account_id } of found) if (await isNowhereElse(account_id, org_id)) await eraseAccount(account_id, org_id, erased);
    deleted += (await records.deleteMany({ _id: where({ $in: found.map(({ _id }) => _id) }) })).deletedCount;
    if (found.length < batchSize) return deleted;
  }
}

/** True if the account belongs to no organization that is not being erased. */
async function isNowhereElse(account_id: string, org_id: string): Promise<boolean> {
  const others = (await membershipsOf(account_id)).map((membership) => membership.org_id).filter((id) => id !== org_id);
  const organizations = await organizationsById(others);
  return [...organizations.values()].every(({ erasure_round, erased_at }) => Boolean(erasure_round ?? erased_at));
}

/** No audit log names it any more, those of organizations that it left included. */
async function eraseAccount(account_id: string, org_id: string, erased: ErasedAddresses): Promise<void> {
  const now = new Date();
  const account = await changeAccount(serviceCaller('identity'), account_id, { deleted_at: now });
  if (account === null) return;
  await erased.add(account.email_folded, now);
  await endInvitationsTo(account.email_folded);
  await removePerson(account, [org_id], () => false);
  for (const model of [SessionModel, PasskeyModel, SecondFactorModel] as const)
    await unscoped(model as typeof SessionModel).deleteMany({ account_id });
  await unscoped(AccountModel).deleteOne({ _id: account_id });
}
