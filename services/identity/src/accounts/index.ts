import { deleteAccount } from './delete-account.ts';
import type { ErasedAddresses } from './erased-addresses.ts';
import { hasAccount } from './has-account.ts';
import { endAccountSessions, lockAccount, unlockAccount } from './lock-account.ts';

export const accountUseCases = (erased: ErasedAddresses) => [
  hasAccount,
  lockAccount,
  unlockAccount,
  endAccountSessions,
  deleteAccount(erased),
];
