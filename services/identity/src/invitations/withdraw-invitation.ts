import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { deleteInvitation } from './invitation-store.ts';

export const withdrawInvitation = handle('accounts.WithdrawInvitation', async ({ invitation_id }, caller) => {
  if (!(await deleteInvitation(caller, invitation_id))) throw new AppError('invitation_not_found');
  return { deleted: true, id: invitation_id };
});
