import { handle } from '@webkiln/rpc';
import { currentAccountId } from '../authorize.ts';
import { toSession } from './session.ts';
import { sessionsOf } from './session-store.ts';

export const listSessions = handle('accounts.ListSessions', async (_request, caller) => {
  const sessions = await sessionsOf(currentAccountId(caller));
  const shown = sessions.map((session) => ({ ...toSession(session), current: session._id === caller.principal.credential_id }));
  return { sessions: shown, total: shown.length };
});
