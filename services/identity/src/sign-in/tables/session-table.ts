import { type RaisedEvent, sessionTokenDigest } from '@webkiln/contract';
import { APIError } from 'better-auth/api';
import { accountById } from '../accounts/account-store.ts';
import { auditedOf } from '../audit/audited-of.ts';
import type { KeyHash } from '../keys/key-secret.ts';
import { makeWantedOrganization } from '../organizations/make-wanted-organization.ts';
import { organizationById } from '../organizations/organization-store.ts';
import { membershipsOf } from '../sessions/memberships.ts';
import { type Membership, nowhere, placeOf, prefixOf, type SessionPlace, type SessionState } from '../sessions/session.ts';
import { endSession, endSessions, insertSession, liveSessions } from '../sessions/session-store.ts';
import { currentRequest } from './current-request.ts';
import { ownCaller } from './own-caller.ts';
import { type Clause, filterOf, type Row, type Table } from './table.ts';

type LibrarysSession = Row & SessionPlace & Omit<SessionState, 'token_hash' | 'ended_at'> & { token: string };

async function accessPaused({ org_id }: Membership): Promise<APIError> {
  const organization = await organizationById(org_id);
  const message = `Your access is paused. Ask ${organization?.name ?? 'your agency'}.`;
  return new APIError('FORBIDDEN', { code: 'ACCESS_PAUSED', message });
}

/**
 * Where a session that begins is: where the one before it was, else in the first organization that lets the account in. Refused to who is
 * nothing but a client that has been suspended, or has left.
 */
async function placeFor({ account_id, org_id, membership_kind, membership_id }: LibrarysSession): Promise<SessionPlace> {
  if (typeof org_id === 'string' && org_id !== '') return { org_id, membership_kind, membership_id };
  const account = await accountById(account_id);
  if (account !== null) await makeWantedOrganization(account);
  const memberships = await membershipsOf(account_id);
  const open = memberships.find(({ paused }) => !paused);
  if (open !== undefined) return placeOf(open);
  const [paused] = memberships;
  if (paused !== undefined) throw await accessPaused(paused);
  return nowhere;
}

/** What the log is told: of a session that takes another's place nothing, nor of the one that waits for a second factor. */
async function startedBy({ org_id }: LibrarysSession, { account_id, ip_prefix }: SessionState): Promise<RaisedEvent[]> {
  const path = currentRequest.getStore()?.path ?? '';
  const isSignIn =
    path.startsWith('/two-factor/verify') ||
    path === '/passkey/sign-in' ||
    (path === '/sign-in/email' && (await accountById(account_id))?.two_factor !== true);
  const started = { ip_prefix };
  return isSignIn && !org_id ? [await auditedOf(account_id, 'session.started', started)] : [];
}

/**
 * Ends a session that was begun by a password which has been replaced since it was found right, and refuses it. A new password is written before
 * sessions are ended: so of two at once either this one sees the other's password, or the other one sees this one's session.
 */
async function assertStillProven({ _id, account_id }: Pick<SessionState, '_id' | 'account_id'>): Promise<void> {
  const { path, provenHash } = currentRequest.getStore() ?? {};
  if (path !== '/sign-in/email' || provenHash === (await accountById(account_id))?.password_hash) return;
  await endSession(ownCaller(), { _id });
  throw new APIError('UNAUTHORIZED', { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' });
}

/** The library's sessions. It gets a session's token back where it named it, and nowhere else: what is kept is a hash. */
export function sessionTable(hashOf: KeyHash): Table {
  const hashOfToken = (token: unknown) => hashOf(sessionTokenDigest(String(token)));

  /** The conditions with hashes in place of tokens, and which token each hash is of. */
  function hidden(clauses: readonly Clause[]) {
    const tokens = new Map<string, string>();
    const hide = (token: unknown) => {
      const hashed = hashOfToken(token);
      tokens.set(hashed, String(token));
      return hashed;
    };
    const named = clauses.map((clause) => {
      if (clause.field !== 'token') return clause;
      return { ...clause, field: 'token_hash', value: Array.isArray(clause.value) ? clause.value.map(hide) : hide(clause.value) };
    });
    return { filter: filterOf(named), tokens };
  }

  const matching = async (clauses: readonly Clause[], limit: number) => {
    const { filter, tokens } = hidden(clauses);
    const found = await liveSessions(filter, limit);
    return found.map((session): Row => ({ ...session, token: tokens.get(session.token_hash) ?? '' }));
  };

  return {
    async create(row) {
      const { token, ip_prefix, user_agent, ...given } = row as LibrarysSession;
      const state: SessionState = {
        ...(await placeFor(row as LibrarysSession)),
        _id: given._id,
        token_hash: hashOfToken(token),
        account_id: given.account_id,
        user_agent: String(user_agent ?? '').slice(0, 300),
        ip_prefix: prefixOf(String(ip_prefix ?? '')),
        created_at: given.created_at,
        updated_at: given.updated_at,
        expires_at: given.expires_at,
        ended_at: null,
      };
      const session = await insertSession(ownCaller(), state, await startedBy(row as LibrarysSession, state));
      await assertStillProven(session);
      return { ...session, token };
    },
    find: matching,
    // Nothing of a session changes but its end: it lasts as long as was said when it began.
    change: async (clauses) => (await matching(clauses, 100)).length,
    remove: (clauses) => endSessions(ownCaller(), hidden(clauses).filter),
  };
}
