import { setUserAccess } from './set-user-access.ts';

export const userUseCases = [setUserAccess];
