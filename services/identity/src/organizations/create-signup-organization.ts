import { AppError } from '@webkiln/contract';
import { callerFor, servicePrincipal } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { type AccountState, isVerified } from '../accounts/account.ts';
import { changeAccount } from '../accounts/account-store.ts';
import { insertMember } from '../members/member-store.ts';
import { makeOrganization } from './make-organization.ts';

const timeoutMs = 10_000;

/**
 * Makes the organization that was asked for at sign-up, with the account as its owner, once the account's email is verified. May be done
 * again after any line: ids are made of the account's, so that a repeat finds what there is.
 */
export async function makeWantedOrganization(account: AccountState): Promise<void> {
  const { _id: account_id, wanted_organization: name } = account;
  if (typeof name !== 'string' || !isVerified(account)) return;
  const idempotency = { id: `sign-up of ${account_id}`, body: '', explicit: true };
  const _id = newId({ idempotency }, 'organization');
  const caller = callerFor(servicePrincipal('identity', _id), { timeoutMs });
  await makeOrganization(caller, { _id, name, rate_limit: null });
  try {
    await insertMember(caller, { _id: newId({ idempotency }, 'member'), account_id, role: 'owner', created_at: new Date() });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'member_exists') throw error;
  }
  await changeAccount(caller, account_id, { wanted_organization: null });
}
