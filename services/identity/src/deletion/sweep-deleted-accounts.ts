import { AppError } from '@webkiln/contract';
import { logger } from '@webkiln/runtime';
import { accountsToSweep, changeAccount } from '../accounts/account-store.ts';
import { identityCaller } from '../sign-in/identity-caller.ts';
import { eraseAccount } from './erase-account.ts';
import type { ErasedAddresses } from './erased-addresses.ts';

/** Longer than any request takes. */
const settledMs = 60_000;
const maxAtOnce = 100;

/** Ends deletions that broke off, and finds what requests added while an account was deleted. */
export async function sweepDeletedAccounts(erased: ErasedAddresses): Promise<void> {
  for (const account of await accountsToSweep(new Date(Date.now() - settledMs), maxAtOnce)) {
    try {
      await eraseAccount(identityCaller(), account, { erased, revokeKeys: false, shouldStop: () => false });
      if (account.erased_at) await changeAccount(identityCaller(), account._id, { swept_at: new Date() });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      logger.warn({ err: error, account_id: account._id }, 'an account is not deleted yet; the next sweep tries again');
    }
  }
}
