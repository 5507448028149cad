import { sessionTokenDigest } from '@webkiln/contract';
import { networkPrefixOf } from '@webkiln/http';
import { type RaisedEvent, serviceCaller } from '@webkiln/messages';
import { APIError } from 'better-auth/api';
import { type Account, accountById, changeAccount } from '../../accounts/account-store.ts';
import { accountAuditEvent } from '../../audit/account-audit-event.ts';
import type { KeyHash } from '../../keys/key-secret.ts';
import { createSignupOrganization } from '../../organizations/create-organization.ts';
import { organizationById } from '../../organizations/organization-store.ts';
import { membershipsOf } from '../../sessions/memberships.ts';
import { type ActiveMembership, activeMembershipOf, type Membership, noOrganization, type SessionState } from '../../sessions/session.ts';
import { endSession, endSessions, endSurplusSessions, insertSession, liveSessions } from '../../sessions/session-store.ts';
import { assertNotLocked } from '../account-checks.ts';
import { currentRequest } from '../current-request.ts';
import { type Clause, filterOf, type Row, type Table } from './table.ts';

type LibrarySession = Row & ActiveMembership & Omit<SessionState, 'token_hash' | 'ended_at'> & { token: string };

/** Sessions that replace another one or still wait for the second factor are not audited. */
async function signInEvents({ org_id }: LibrarySession, { account_id, ip_prefix }: SessionState): Promise<RaisedEvent[]> {
  const path = currentRequest.getStore()?.path ?? '';
  const isSignIn =
    path.startsWith('/two-factor/verify') ||
    path === '/passkey/sign-in' ||
    path === '/confirm-email' ||
    path === '/join' ||
    (path === '/sign-in/email' && (await accountById(account_id))?.two_factor !== true);
  return isSignIn && !org_id ? [await accountAuditEvent(account_id, 'session.started', { ip_prefix })] : [];
}

/**
 * Ends the new session and throws if the verified password was replaced meanwhile. A password change writes the
 * password before it ends sessions: either this check sees the new password, or the change sees this session.
 */
async function assertPasswordUnchanged({ _id, account_id }: Pick<SessionState, '_id' | 'account_id'>): Promise<void> {
  const { path, verifiedHash } = currentRequest.getStore() ?? {};
  if (path !== '/sign-in/email' || verifiedHash === (await accountById(account_id))?.password_hash) return;
  await endSession(serviceCaller('identity'), { _id });
  throw new APIError('UNAUTHORIZED', { code: 'INVALID_EMAIL_OR_PASSWORD', message: 'Invalid email or password' });
}

/**
 * The library's `session` model. Only a token's hash is stored, so the library gets back only tokens that its query
 * named.
 */
export function sessionTable(hashOf: KeyHash): Table {
  /** Replaces tokens in the conditions by their hashes; `tokens` maps each hash to its token. */
  function hashTokens(clauses: readonly Clause[]) {
    const tokens = new Map<string, string>();
    const hashToken = (token: unknown) => {
      const hashes = hashOf.all(sessionTokenDigest(String(token)));
      for (const token_hash of hashes) tokens.set(token_hash, String(token));
      return hashes;
    };
    const hashed = clauses.map((clause): Clause => {
      if (clause.field !== 'token') return clause;
      const given: unknown[] = clause.operator === 'eq' ? [clause.value] : (clause.value as unknown[]);
      return { ...clause, field: 'token_hash', operator: 'in', value: given.flatMap(hashToken) };
    });
    return { filter: filterOf(hashed), tokens };
  }

  const matching = async (clauses: readonly Clause[], limit: number) => {
    const { filter, tokens } = hashTokens(clauses);
    const found = await liveSessions(filter, limit);
    return found.map((session): Row => ({ ...session, token: tokens.get(session.token_hash) ?? '' }));
  };

  return {
    async create(row) {
      const { token, ip_prefix, user_agent, ...given } = row as LibrarySession;
      const state: SessionState = {
        ...(await initialMembership(row as LibrarySession)),
        _id: given._id,
        token_hash: hashOf(sessionTokenDigest(String(token))),
        account_id: given.account_id,
        user_agent: String(user_agent ?? '').slice(0, 300),
        ip_prefix: networkPrefixOf(String(ip_prefix ?? '')),
        created_at: given.created_at,
        updated_at: given.updated_at,
        expires_at: given.expires_at,
        ended_at: null,
      };
      await assertNotLocked(given.account_id);
      const session = await insertSession(serviceCaller('identity'), state, await signInEvents(row as LibrarySession, state));
      await assertPasswordUnchanged(session);
      // Locked meanwhile: either this check sees it, or the lock ends this session.
      await assertNotLocked(given.account_id).catch(async (error) => {
        await endSession(serviceCaller('identity'), session);
        throw error;
      });
      await endSurplusSessions(serviceCaller('identity'), session.account_id);
      return { ...session, token };
    },
    find: matching,
    // Sessions are never renewed or changed.
    change: async (clauses) => (await matching(clauses, 100)).length,
    remove: (clauses) => endSessions(serviceCaller('identity'), hashTokens(clauses).filter),
  };
}

interface NewSession extends ActiveMembership {
  readonly account_id: string;
}

async function accessPaused({ org_id }: Membership): Promise<APIError> {
  const organization = await organizationById(org_id);
  const message = `Your access is paused. Ask ${organization?.name ?? 'your agency'}.`;
  return new APIError('FORBIDDEN', { code: 'ACCESS_PAUSED', message });
}

/** Takes the language of the first browser that signs in and names one. The person may choose another. */
async function withLanguage(account: Account): Promise<Account> {
  const { language } = currentRequest.getStore() ?? {};
  if (account.language || language === undefined) return account;
  return (await changeAccount(serviceCaller('identity'), account._id, { language })) ?? account;
}

/**
 * The organization of a new session: that of the session it replaces, else the first that the account has access to.
 * Throws `ACCESS_PAUSED` if every membership belongs to a client that is suspended or has left.
 */
async function initialMembership({ account_id, org_id, membership_kind, membership_id }: NewSession): Promise<ActiveMembership> {
  if (typeof org_id === 'string' && org_id !== '') return { org_id, membership_kind, membership_id };
  const account = await accountById(account_id);
  if (account !== null) await createSignupOrganization(await withLanguage(account));
  const memberships = await membershipsOf(account_id);
  const open = memberships.find(({ paused }) => !paused);
  if (open !== undefined) return activeMembershipOf(open);
  const [paused] = memberships;
  if (paused !== undefined) throw await accessPaused(paused);
  return noOrganization;
}
