import { activateUser } from './activate-user.ts';
import { hasAccount } from './has-account.ts';

export const accountUseCases = [activateUser, hasAccount];
