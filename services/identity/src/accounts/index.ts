import { hasAccount } from './has-account.ts';

export const accountUseCases = [hasAccount];
