import { type AgentSession, shownReason } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import {
  type AgentSessionRecord,
  addChange,
  beginUndo,
  endUndo,
  latestSessions,
  type StoredChange,
  settleChange,
} from './agent-session-store.ts';

const shown = ({ _id, agent, credential, started_at, last_at, changes }: AgentSessionRecord): AgentSession => ({
  id: _id,
  agent,
  credential,
  started_at: started_at.toISOString(),
  last_at: last_at.toISOString(),
  changes: changes.map(({ undo: _undo, reason, ...change }) => ({ ...change, ...shownReason(reason) })),
});

const listAgentSessions = handle('accounts.ListAgentSessions', async (_request, caller) => {
  const sessions = (await latestSessions(caller)).filter(({ changes }) => changes.length > 0);
  return { sessions: sessions.map(shown) as never, total: sessions.length };
});

/** A new change has no session yet. Of one that changed nothing, `change` has the id alone. */
const recordAgentChange = handle('identity.RecordAgentChange', async (request, caller) => {
  assertInternal(caller);
  const { session_id, credential_id, credential, agent, undo_id } = request;
  const change = JSON.parse(request.change) as StoredChange;
  if (session_id === '') {
    return { session_id: await addChange(caller, { credential_id, credential: credential as 'oauth' | 'key', agent }, change) };
  }
  await settleChange(caller, session_id, 'tool' in change ? change : null, { change_id: change.id, undo_id: undo_id || null });
  return { session_id };
});

const beginAgentUndo = handle('identity.BeginAgentUndo', async ({ undo_id, ...which }, caller) => {
  assertInternal(caller);
  const session = await beginUndo(caller, which, undo_id);
  const { id, agent, credential, started_at, last_at } = shown(session);
  return { id, agent, credential, started_at, last_at, changes: session.changes.map((change) => JSON.stringify(change)) };
});

const endAgentUndo = handle('identity.EndAgentUndo', async ({ session_id, undo_id, actor }, caller) => {
  assertInternal(caller);
  await endUndo(caller, session_id, undo_id, actor ?? undefined);
  return {};
});

export const agentSessionUseCases = [listAgentSessions, recordAgentChange, beginAgentUndo, endAgentUndo];
