import { AppError } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { currentAccountId } from '../../authorize.ts';
import { connectionOf, disconnect } from '../store/connection-store.ts';
import { revokeGrants } from '../store/grant-store.ts';

/** The consent ends first, so that no new grant follows; a repeat after a crash revokes the grants that are left. */
export const disconnectAgent = handle('accounts.DisconnectAgent', async ({ agent_id }, caller) => {
  const account_id = currentAccountId(caller);
  const connection = await connectionOf(account_id, agent_id);
  const isNew = connection !== null && (await disconnect(account_id, agent_id));
  const revoked = connection === null ? 0 : await revokeGrants({ connection_id: agent_id });
  if (!isNew && revoked === 0) throw new AppError('agent_not_found');
  return { deleted: true, id: agent_id };
});
