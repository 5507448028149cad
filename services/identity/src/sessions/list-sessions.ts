import { handle } from '@webkiln/rpc';
import { currentAccountId } from '../authorize.ts';
import { sessionsOf } from './session-store.ts';

export const listSessions = handle('accounts.ListSessions', async (_request, caller) => {
  const sessions = await sessionsOf(currentAccountId(caller));
  const shown = sessions.map(({ _id, user_agent, ip_prefix, created_at, expires_at }) => ({
    id: _id,
    current: _id === caller.principal.credential_id,
    user_agent,
    ip_prefix,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }));
  return { sessions: shown, total: shown.length };
});
