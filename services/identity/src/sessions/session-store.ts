import { wholeListCap } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import {
  defineGlobalModel,
  type Filter,
  type GlobalStored,
  insertChange,
  saveChange,
  saveWithRetry,
  unscoped,
  where,
} from '@webkiln/store';
import type { Rehash } from '../keys/key-secret.ts';
import { type ActiveMembership, noOrganization, type SessionState } from './session.ts';

export type Session = GlobalStored<SessionState>;

const keptSecondsAfterEnd = 24 * 3600;
/** Ended concurrently: half of the connection pool, so that other requests of the process find a connection. */
const sessionsPerBatch = 10;

// Global: a session is looked up before its organization is known.
export const SessionModel = defineGlobalModel<SessionState>(
  'sessions',
  {
    token_hash: { type: String, required: true },
    account_id: { type: String, required: true },
    org_id: { type: String, default: '' },
    membership_kind: { type: String, default: null },
    membership_id: { type: String, default: null },
    user_agent: { type: String, default: '' },
    ip_prefix: { type: String, default: '' },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
    ended_at: { type: Date, default: null },
  },
  {
    exportedAs: null,
    raisesEvents: true,
    indexes: [
      [{ token_hash: 1 }, { unique: true }],
      [{ account_id: 1, created_at: -1 }],
      [{ expires_at: 1 }, { expireAfterSeconds: keptSecondsAfterEnd }],
    ],
  },
);

export const insertSession = (caller: Caller, state: SessionState, events: readonly RaisedEvent[]): Promise<Session> =>
  insertChange(SessionModel, caller, new Change(state, events));

const live = () => ({ ended_at: null, expires_at: where({ $gt: new Date() }) });

/** Active sessions by their token's hash; unknown, expired and ended ones are absent. */
export async function sessionsByHash(hashes: readonly string[]): Promise<Map<string, Session>> {
  const found = await unscoped(SessionModel).find({ token_hash: where({ $in: hashes }), ...live() });
  return new Map(found.map((session) => [session.token_hash, session]));
}

/** Changes the hashes of sessions' tokens. */
export const rehashSessions = (rehashes: readonly Rehash[]): Promise<unknown> =>
  unscoped(SessionModel).updateEach(rehashes.map(({ from, to }) => [{ token_hash: from }, { $set: { token_hash: to } }]));

const changed = ({ _id, account_id }: Session): RaisedEvent => ({
  type: 'internal.session.changed',
  data: { session_id: _id, account_id },
});

/** Ends a session; an ended session stays as it is. */
export const endSession = (caller: Caller, { _id }: Pick<Session, '_id'>, events: readonly RaisedEvent[] = []): Promise<void> =>
  saveWithRetry(caller, async () => {
    const session = await unscoped(SessionModel).findOne({ _id, ended_at: null });
    if (session === null) return;
    await saveChange(SessionModel, caller, session, new Change({ ended_at: new Date() }, [changed(session), ...events]));
  });

/** The sessions that an account has at once. Each has a quota of requests: with more, one person would have more. */
const maxSessions = 20;

/** Ends the account's oldest sessions beyond the number that an account may have. */
export async function endSurplusSessions(caller: Caller, account_id: string): Promise<void> {
  const newest = await unscoped(SessionModel).find(
    { account_id, ...live() },
    { sort: { created_at: -1 }, limit: maxSessions + sessionsPerBatch },
  );
  await Promise.all(newest.slice(maxSessions).map((session) => endSession(caller, session)));
}

/** Ends all matching sessions and returns their number. */
export async function endSessions(caller: Caller, filter: Filter<Session>): Promise<number> {
  for (let ended = 0; ; ) {
    const found = await liveSessions(filter, sessionsPerBatch);
    await Promise.all(found.map((session) => endSession(caller, session)));
    ended += found.length;
    if (found.length < sessionsPerBatch) return ended;
  }
}

/** Removes what sessions tell of a person; the records go a day later, when their events are published. */
export async function forgetSessions(account_id: string): Promise<void> {
  const forgotten = { user_agent: '', ip_prefix: '', ...noOrganization, expires_at: new Date() };
  await unscoped(SessionModel).updateMany({ account_id, ended_at: where<Date | null>({ $ne: null }) }, { $set: forgotten });
}

/** Matching sessions that have not been ended; they may have expired. */
export const liveSessions = (filter: Filter<Session>, limit: number): Promise<Session[]> =>
  unscoped(SessionModel).find({ ...filter, ended_at: null }, { limit });

/** An account's active sessions, newest first, up to the cap of lists. */
export const sessionsOf = (account_id: string): Promise<Session[]> =>
  unscoped(SessionModel).find({ account_id, ...live() }, { sort: { created_at: -1 }, limit: wholeListCap });

/** An active session of the account, or null. */
export const sessionById = (account_id: string, _id: string): Promise<Session | null> =>
  unscoped(SessionModel).findOne({ _id, account_id, ...live() });

/** Moves a session to another organization; an ended session stays as it is. */
export const moveSession = (caller: Caller, { _id }: Pick<Session, '_id'>, membership: ActiveMembership): Promise<void> =>
  saveWithRetry(caller, async () => {
    const session = await unscoped(SessionModel).findOne({ _id, ended_at: null });
    if (session === null) return;
    await saveChange(SessionModel, caller, session, new Change(membership, [changed(session)]));
  });
