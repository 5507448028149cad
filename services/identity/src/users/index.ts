import { activateUser } from './activate-user.ts';
import { attachAccount } from './attach-account.ts';
import { setUserAccess } from './set-user-access.ts';

export const userUseCases = [activateUser, attachAccount, setUserAccess];
