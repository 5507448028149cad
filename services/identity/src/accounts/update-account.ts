import { AppError } from '@webkiln/contract';
import { handle, maskedFields } from '@webkiln/rpc';
import { currentAccountId } from '../authorize.ts';
import { type AccountState, toAccount } from './account.ts';
import { changeAccount } from './account-store.ts';

export const updateAccount = handle('accounts.UpdateAccount', async (request, caller) => {
  const fields = maskedFields<Pick<AccountState, 'language'>>(request);
  const account = await changeAccount(caller, currentAccountId(caller), fields);
  if (account === null) throw new AppError('invalid_session');
  return { account: toAccount(account) };
});
