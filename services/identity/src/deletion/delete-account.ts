import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { foldEmail } from '../accounts/account.ts';
import { accountByEmail } from '../accounts/account-store.ts';
import { decideOn } from '../accounts/brake-account.ts';
import { assertOperator } from '../authorize.ts';
import { isLastOwner } from '../members/member-changes.ts';
import { membershipsAcross } from '../members/member-store.ts';
import { organizationsById } from '../organizations/organization-store.ts';
import { eraseAccount, needsOwner } from './erase-account.ts';
import type { ErasedAddresses } from './erased-addresses.ts';

/** The time that an attempt leaves for its answer. */
const answerMs = 5_000;

/**
 * Deletes an account: it can do nothing from now on, and the logs no longer name it when it is `done`. Repeats go on.
 * Throws `validation_failed`, and `last_owner` with the organizations that would have no owner.
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
    const { done, keys } = await eraseAccount(caller, account, { erased, revokeKeys: revoke_keys, shouldStop });
    return { account_id: account._id, done, keys };
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
