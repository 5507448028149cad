import { deleteAccount } from './delete-account.ts';
import type { ErasedAddresses } from './erased-addresses.ts';

export const deletionUseCases = (erased: ErasedAddresses) => [deleteAccount(erased)];
