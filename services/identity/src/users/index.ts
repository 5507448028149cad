import { activateUser } from './activate-user.ts';
import { setUserAccess } from './set-user-access.ts';

export const userUseCases = [activateUser, setUserAccess];
