import { type AgentChange, AppError, type AuditedAct, type UndoReason } from '@webkiln/contract';
import { auditEvent, type Caller, Change } from '@webkiln/messages';
import {
  defineModel,
  derivedId,
  insertChange,
  isDuplicate,
  LostRace,
  type Scope,
  type Stored,
  saveChange,
  saveWithRetry,
  scoped,
} from '@webkiln/store';
import mongoose from 'mongoose';

const pauseMs = 30 * 60_000;
const keptMs = 30 * 24 * 3600_000;
const maxChanges = 100;
const maxListed = 20;
/** Longer than one step of an undo may take: that of a process which died is over then. */
const claimMs = 8000;

/** A change, and what the service that made it keeps to take it back. */
export type StoredChange = Omit<AgentChange, 'reason' | 'reason_code' | 'reason_names'> & {
  readonly reason: UndoReason | null;
  readonly undo?: unknown;
};

interface AgentSessionState {
  _id: string;
  /** The grant or key of the connection. */
  credential_id: string;
  credential: 'oauth' | 'key';
  agent: string;
  /** Counts the sessions of the connection. */
  number: number;
  changes: StoredChange[];
  started_at: Date;
  last_at: Date;
  expires_at: Date;
  /** The undo that runs, and when its claim ends. */
  undo_id?: string | null;
  undo_until?: Date | null;
}
export type AgentSessionRecord = Stored<AgentSessionState>;
export type Connection = Pick<AgentSessionState, 'credential_id' | 'credential' | 'agent'>;

const SessionModel = defineModel<AgentSessionState>(
  'agent_sessions',
  {
    credential_id: { type: String, required: true },
    credential: { type: String, required: true },
    agent: { type: String, default: '' },
    number: { type: Number, required: true },
    changes: { type: [mongoose.Schema.Types.Mixed], default: [] },
    started_at: { type: Date, required: true },
    last_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    undo_id: { type: String },
    undo_until: { type: Date },
  },
  {
    exportedAs: 'agent-sessions',
    raisesEvents: true,
    indexes: [[{ org_id: 1, credential_id: 1, number: -1 }], [{ org_id: 1, last_at: -1 }]],
    indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
  },
);

/** Two calls that begin the same session at once make the same id: one of them finds that of the other. */
const idOf = (org_id: string, credential_id: string, number: number): string => derivedId(JSON.stringify([org_id, credential_id, number]));

/** Throws `tool_session_not_found`. */
export async function sessionById(scope: Scope, _id: string): Promise<AgentSessionRecord> {
  const session = await scoped(SessionModel, scope).findOne({ _id });
  if (session === null) throw new AppError('tool_session_not_found');
  return session;
}

/** The latest, newest first. */
export const latestSessions = (scope: Scope): Promise<AgentSessionRecord[]> =>
  scoped(SessionModel, scope).find({}, { sort: { last_at: -1 }, limit: maxListed });

/** Adds a change to the session that the connection is in, or begins one. Returns the id of the session. */
export const addChange = (caller: Caller, connection: Connection, change: StoredChange): Promise<string> =>
  saveWithRetry(caller, async () => {
    const { credential_id } = connection;
    const now = new Date();
    const [last] = await scoped(SessionModel, caller).find({ credential_id }, { sort: { number: -1 }, limit: 1 });
    const times = { last_at: now, expires_at: new Date(now.getTime() + keptMs) };
    if (last?.changes.some(({ id }) => id === change.id)) return last._id;
    const goesOn = last !== undefined && now.getTime() - last.last_at.getTime() < pauseMs && last.changes.length < maxChanges;
    if (goesOn) return (await saveChange(SessionModel, caller, last, new Change({ changes: [...last.changes, change], ...times }, [])))._id;
    const number = (last?.number ?? 0) + 1;
    const { org_id } = caller.principal;
    const _id = idOf(org_id, credential_id, number);
    const state = { _id, org_id, ...connection, number, changes: [change], started_at: now, ...times };
    try {
      return (await insertChange(SessionModel, caller, new Change(state, [])))._id;
    } catch (error) {
      if (isDuplicate(error, '_id')) throw new LostRace(_id);
      throw error;
    }
  });

/**
 * Puts what became of a change in the place of it; one that changed nothing is removed. An undo keeps its claim by it.
 * Throws `undo_running` if another one has claimed the session.
 */
export const settleChange = (
  caller: Caller,
  session_id: string,
  change: StoredChange | null,
  { change_id, undo_id }: { readonly change_id: string; readonly undo_id: string | null },
): Promise<unknown> =>
  saveWithRetry(caller, async () => {
    const session = await sessionById(caller, session_id);
    if (undo_id !== null && session.undo_id !== undo_id) throw new AppError('undo_running');
    const changes = session.changes.flatMap((each) => (each.id === change_id ? (change ?? []) : each));
    return saveChange(SessionModel, caller, session, new Change({ changes, ...(undo_id !== null && claimOf(undo_id)) }, []));
  });

const claimOf = (undo_id: string) => ({ undo_id, undo_until: new Date(Date.now() + claimMs) });

/** A session by its id, or the latest of a credential, or both: then it must be of that one. */
interface Which {
  readonly session_id?: string | undefined;
  readonly credential_id?: string | undefined;
}

/** Throws `tool_session_not_found`. */
async function sessionOf(scope: Scope, { session_id, credential_id }: Which): Promise<AgentSessionRecord> {
  const named = { ...(session_id && { _id: session_id }), ...(credential_id && { credential_id }) };
  const [session] = await scoped(SessionModel, scope).find(named, { sort: { number: -1 }, limit: 1 });
  if (session === undefined || Object.keys(named).length === 0) throw new AppError('tool_session_not_found');
  return session;
}

/** Claims the session for an undo. Throws `undo_running` while another one has it. */
export const beginUndo = (caller: Caller, which: Which, undo_id: string): Promise<AgentSessionRecord> =>
  saveWithRetry(caller, async () => {
    const session = await sessionOf(caller, which);
    const isClaimed = session.undo_id && session.undo_id !== undo_id && (session.undo_until?.getTime() ?? 0) > Date.now();
    if (isClaimed) throw new AppError('undo_running');
    return saveChange(SessionModel, caller, session, new Change(claimOf(undo_id), []));
  });

/** Gives the claim back. With an actor: audits that it took back what could be. */
export const endUndo = (caller: Caller, session_id: string, undo_id: string, actor: AuditedAct['actor'] | undefined): Promise<unknown> =>
  saveWithRetry(caller, async () => {
    const session = await sessionById(caller, session_id);
    // A repeat of this call, or another undo has gone on.
    if (session.undo_id !== undo_id) return session;
    const target = { kind: 'agent_session', id: session_id, name: session.agent };
    const events = actor === undefined ? [] : [auditEvent(caller, 'agents.undone', target, actor)];
    return saveChange(SessionModel, caller, session, new Change({ undo_id: null, undo_until: null }, events));
  });
