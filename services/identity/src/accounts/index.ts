import { deleteAccount } from './delete-account.ts';
import type { ErasedAddresses } from './erased-addresses.ts';
import { getMemberAddress, hasAccount } from './has-account.ts';
import { endAccountSessions, lockAccount, unlockAccount } from './lock-account.ts';
import { updateAccount } from './update-account.ts';

export const accountUseCases = (erased: ErasedAddresses) => [
  hasAccount,
  getMemberAddress,
  lockAccount,
  unlockAccount,
  endAccountSessions,
  deleteAccount(erased),
  updateAccount,
];
