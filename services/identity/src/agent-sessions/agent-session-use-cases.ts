import type { AgentSession } from '@webkiln/contract';
import { handle } from '@webkiln/rpc';
import { assertInternal } from '../authorize.ts';
import {
  type AgentSessionRecord,
  addChange,
  auditUndo,
  latestSessions,
  type StoredChange,
  sessionById,
  settleChange,
} from './agent-session-store.ts';

const shown = ({ _id, agent, credential, started_at, last_at, changes }: AgentSessionRecord): AgentSession => ({
  id: _id,
  agent,
  credential,
  started_at: started_at.toISOString(),
  last_at: last_at.toISOString(),
  changes: changes.map(({ undo: _undo, ...change }) => change),
});

const listAgentSessions = handle('accounts.ListAgentSessions', async (_request, caller) => {
  const sessions = (await latestSessions(caller)).filter(({ changes }) => changes.length > 0);
  return { sessions: sessions.map(shown) as never, total: sessions.length };
});

/** A new change has no session yet. Of one that changed nothing, `change` has the id alone. */
const recordAgentChange = handle('identity.RecordAgentChange', async (request, caller) => {
  assertInternal(caller);
  const { session_id, credential_id, credential, agent } = request;
  const change = JSON.parse(request.change) as StoredChange;
  if (session_id === '') {
    return { session_id: await addChange(caller, { credential_id, credential: credential as 'oauth' | 'key', agent }, change) };
  }
  await settleChange(caller, session_id, 'tool' in change ? change : null, change.id);
  return { session_id };
});

const getAgentSession = handle('identity.GetAgentSession', async ({ session_id }, caller) => {
  assertInternal(caller);
  const session = await sessionById(caller, session_id);
  const { agent, credential, started_at, last_at } = shown(session);
  return { agent, credential, started_at, last_at, changes: session.changes.map((change) => JSON.stringify(change)) };
});

const recordAgentUndo = handle('identity.RecordAgentUndo', async ({ session_id, account_id }, caller) => {
  assertInternal(caller);
  await auditUndo(caller, session_id, account_id);
  return {};
});

export const agentSessionUseCases = [listAgentSessions, recordAgentChange, getAgentSession, recordAgentUndo];
