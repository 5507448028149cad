import { AppError } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/messages';
import { newId } from '@webkiln/store';
import { type AccountState, isVerified } from '../accounts/account.ts';
import { changeAccount } from '../accounts/account-store.ts';
import { insertMember } from '../members/member-store.ts';
import { insertWithFreeSlug } from './insert-with-free-slug.ts';

const timeoutMs = 10_000;

/**
 * Creates the organization requested at sign-up, owned by the account, once the account's email is verified. All ids
 * derive from the account's, so a retry after a crash at any line continues where the first attempt stopped.
 */
export async function createSignupOrganization(account: AccountState): Promise<void> {
  const { _id: account_id, wanted_organization: name } = account;
  if (typeof name !== 'string' || !isVerified(account)) return;
  const idempotency = { id: `sign-up of ${account_id}`, body: '', explicit: true };
  const _id = newId({ idempotency }, 'organization');
  const caller = callerFor(servicePrincipal('identity', _id), { timeoutMs });
  await insertWithFreeSlug(caller, { _id, name, rate_limit: null });
  try {
    await insertMember(caller, { _id: newId({ idempotency }, 'member'), account_id, role: 'owner', created_at: new Date() });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'member_exists') throw error;
  }
  await changeAccount(caller, account_id, { wanted_organization: null });
}
