import { endAccountSessions, lockAccount, unlockAccount } from './brake-account.ts';
import { hasAccount } from './has-account.ts';

export const accountUseCases = [hasAccount, lockAccount, unlockAccount, endAccountSessions];
