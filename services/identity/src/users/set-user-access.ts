import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import { saveAccess } from './user-access-store.ts';

export const setUserAccess = handle('identity.SetUserAccess', async ({ user_id, paused, client_revision }, caller) => {
  assertInternal(caller);
  if (caller.principal.org_id === '') throw new AppError('organization_not_found');
  await saveAccess(caller, { _id: user_id, paused, client_revision });
  return {};
});
