import { APIError } from 'better-auth/api';
import { accountById } from '../accounts/account-store.ts';

/**
 * Throws `ACCOUNT_LOCKED` if an operator has locked the account or is deleting it. Call it only for a caller who
 * has proved to be its owner: others get the answer of a wrong password, so that it does not tell which accounts exist.
 */
export async function assertNotLocked(account_id: string): Promise<void> {
  const account = await accountById(account_id);
  if (!account?.locked_at && !account?.deleted_at) return;
  const message = 'This account is locked. Ask the operator of this platform.';
  throw new APIError('FORBIDDEN', { code: 'ACCOUNT_LOCKED', message });
}
