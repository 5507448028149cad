import { AppError } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
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
  where,
} from '@webkiln/store';
import mongoose from 'mongoose';
import { type AgentGuard, noGuard, type StoredQuestion } from './agent-guard.ts';

/** The connection of an agent: its grant or key, and the person that it acts for, if it is known. */
export interface AgentConnection {
  readonly credential_id: string;
  readonly credential: 'oauth' | 'key';
  readonly agent: string;
  readonly account_id: string | null;
}

interface AgentGuardState extends AgentConnection {
  _id: string;
  read_at: Date | null;
  read_tool: string;
  allowed_until: Date | null;
  questions: readonly StoredQuestion[];
  question_ids: readonly string[];
  /** When it asked last. */
  asked_at: Date | null;
  expires_at: Date;
}
export type AgentGuardRecord = Stored<AgentGuardState>;

/** Longer than anything in it counts. */
const keptMs = 2 * 3600_000;

const GuardModel = defineModel<AgentGuardState>(
  'agent_guards',
  {
    credential_id: { type: String, required: true },
    credential: { type: String, required: true },
    agent: { type: String, default: '' },
    account_id: { type: String, default: null },
    read_at: { type: Date, default: null },
    read_tool: { type: String, default: '' },
    allowed_until: { type: Date, default: null },
    questions: { type: [mongoose.Schema.Types.Mixed], default: [] },
    question_ids: { type: [String], default: [] },
    asked_at: { type: Date, default: null },
    expires_at: { type: Date, required: true },
  },
  {
    exportedAs: null,
    raisesEvents: true,
    indexes: [[{ org_id: 1, question_ids: 1 }], [{ org_id: 1, asked_at: -1 }]],
    indexesAcross: [[{ expires_at: 1 }, { expireAfterSeconds: 0 }]],
  },
);

/** One of a connection: two calls that make the first at once find each other. */
const idOf = (org_id: string, credential_id: string): string => derivedId(JSON.stringify([org_id, credential_id]));

/** What becomes of a guard; without `change` nothing. */
export interface Outcome<Result> {
  readonly result: Result;
  readonly change?: Partial<AgentGuard> | undefined;
  readonly acts?: readonly RaisedEvent[] | undefined;
}

/** Decides by the guard of a connection, and keeps the outcome. Of two that decide at once, one sees the other. */
export const changeGuard = <Result>(
  caller: Caller,
  connection: AgentConnection,
  decide: (guard: AgentGuard) => Outcome<Result>,
): Promise<Result> =>
  saveWithRetry(caller, async () => {
    const { org_id } = caller.principal;
    const _id = idOf(org_id, connection.credential_id);
    const current = await scoped(GuardModel, caller).findOne({ _id });
    const { result, change, acts = [] } = decide(current ?? noGuard);
    if (change === undefined) return result;
    const state = { ...change, ...found(change.questions), ...connection, expires_at: new Date(Date.now() + keptMs) };
    if (current !== null) await saveChange(GuardModel, caller, current, new Change(state, acts));
    else await insertGuard(caller, { ...noGuard, question_ids: [], asked_at: null, ...state, _id, org_id }, acts);
    return result;
  });

/** By what questions are found. */
const found = (questions: readonly StoredQuestion[] | undefined) =>
  questions && { question_ids: questions.map(({ id }) => id), asked_at: questions.at(-1)?.asked_at ?? null };

async function insertGuard(caller: Caller, state: AgentGuardState & { org_id: string }, acts: readonly RaisedEvent[]): Promise<void> {
  try {
    await insertChange(GuardModel, caller, new Change(state, acts));
  } catch (error) {
    if (isDuplicate(error, '_id')) throw new LostRace(state._id);
    throw error;
  }
}

/** Throws `agent_question_not_found`. */
export async function guardWith(scope: Scope, question_id: string): Promise<AgentGuardRecord> {
  const [guard] = await scoped(GuardModel, scope).find({ question_ids: question_id }, { limit: 1 });
  if (guard === undefined) throw new AppError('agent_question_not_found');
  return guard;
}

const maxGuards = 100;

/** The guards that asked since then, the latest first; of one account, or of all. */
export const guardsAsking = (scope: Scope, since: Date, account_id: string | undefined): Promise<AgentGuardRecord[]> =>
  scoped(GuardModel, scope).find(
    { asked_at: where<Date | null>({ $gte: since }), ...(account_id !== undefined && { account_id }) },
    { sort: { asked_at: -1 }, limit: maxGuards },
  );
