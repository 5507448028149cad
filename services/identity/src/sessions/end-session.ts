import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { currentAccountId } from '../authorize.ts';
import { endSession as end, sessionById } from './session-store.ts';

export const endSession = handle('accounts.EndSession', async ({ session_id }, caller) => {
  const session = await sessionById(currentAccountId(caller), session_id);
  if (session === null) throw new AppError('session_not_found');
  await end(caller, session);
  return { deleted: true, id: session_id };
});
