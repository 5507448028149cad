import { AppError, validate } from '@webkiln/contract';
import { onBehalf, serviceCaller } from '@webkiln/messages';
import { handle } from '@webkiln/rpc';
import { newId } from '@webkiln/store';
import { type AccountState, isVerified } from '../accounts/account.ts';
import { accountById, changeAccount } from '../accounts/account-store.ts';
import { assertOperator, currentAccountId } from '../authorize.ts';
import { insertMember } from '../members/member-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { activeMembershipOf } from '../sessions/session.ts';
import { moveSession } from '../sessions/session-store.ts';
import { currentRequest } from '../sign-in/current-request.ts';
import { NewOrganization, toOrganization, toOwnOrganization } from './organization.ts';
import { insertWithFreeSlug } from './organization-store.ts';

export const createOrganization = handle('identity.CreateOrganization', async (request, caller) => {
  assertOperator(caller);
  const { name, slug, rate_limit = null } = validate(NewOrganization, request);
  const organization = await insertWithFreeSlug(caller, { _id: newId(caller), name, slug, rate_limit });
  return { organization: toOrganization(organization) };
});

/** An earlier attempt of the same request may have created the organization, its owner, or both. */
export const openOrganization = handle('accounts.OpenOrganization', async ({ name }, caller) => {
  const account_id = currentAccountId(caller);
  const _id = newId(caller, 'organization');
  const others = (await membershipsOf(account_id)).filter(({ org_id }) => org_id !== _id);
  if (others.length > 0) throw new AppError('organization_exists');
  const account = await accountById(account_id);
  const organization = await insertWithFreeSlug(caller, { _id, name, rate_limit: null, language: account?.language ?? null });
  const member = { _id: newId(caller, 'member'), account_id, role: 'owner' as const, created_at: new Date() };
  const { _id: id } = await insertMember(onBehalf('identity', caller, _id), member);
  const membership = activeMembershipOf({ org_id: _id, kind: 'member', id });
  await moveSession(caller, { _id: caller.principal.credential_id }, membership);
  return { organization: toOwnOrganization(organization) };
});

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
  const caller = { ...serviceCaller('identity', _id, timeoutMs), network: currentRequest.getStore()?.network };
  await insertWithFreeSlug(caller, { _id, name, rate_limit: null, language: account.language ?? null });
  try {
    await insertMember(caller, { _id: newId({ idempotency }, 'member'), account_id, role: 'owner', created_at: new Date() });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'member_exists') throw error;
  }
  await changeAccount(caller, account_id, { wanted_organization: null });
}
