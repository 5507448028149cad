import type { PasswordLink } from '../sign-in/password-link.ts';
import { getAccountStanding } from './account-standing.ts';
import { deleteAccount } from './delete-account.ts';
import type { ErasedAddresses } from './erased-addresses.ts';
import { getMemberAddress, hasAccount } from './has-account.ts';
import { createPasswordLink, endAccountSessions, lockAccount, unlockAccount } from './lock-account.ts';
import { updateAccount } from './update-account.ts';

export const accountUseCases = (erased: ErasedAddresses, passwordLink: (accountId: string) => Promise<PasswordLink>) => [
  hasAccount,
  getMemberAddress,
  getAccountStanding,
  lockAccount,
  unlockAccount,
  endAccountSessions,
  createPasswordLink(passwordLink),
  deleteAccount(erased),
  updateAccount,
];
