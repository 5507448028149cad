import { serviceCaller } from '@webkiln/messages';
import { APIError } from 'better-auth/api';
import { type Account, accountById, changeAccount } from '../../accounts/account-store.ts';
import { accountAuditEvent } from '../../audit/account-audit-event.ts';
import { disconnectAll } from '../../oauth/store/connection-store.ts';
import { endSessions } from '../../sessions/session-store.ts';
import { assertNotLocked } from '../account-checks.ts';
import { currentRequest } from '../current-request.ts';
import { deleteChallenges } from './challenge-store.ts';
import { type Clause, equalTo, type Row, type Table } from './table.ts';

const credential = ({ _id, password_hash, created_at, updated_at = created_at }: Account): Row => ({
  _id,
  userId: _id,
  accountId: _id,
  providerId: 'credential',
  password: password_hash,
  createdAt: created_at,
  updatedAt: updated_at,
});

/** The account whose password is meant, found by its id; null if it has none. */
async function accountWithPassword(clauses: readonly Clause[]): Promise<Account | null> {
  const provider = equalTo(clauses, 'providerId');
  const id = equalTo(clauses, 'userId') ?? equalTo(clauses, 'accountId') ?? equalTo(clauses, '_id');
  if (typeof id !== 'string' || (provider !== undefined && provider !== 'credential')) return null;
  const account = await accountById(id);
  return account?.password_hash ? account : null;
}

/**
 * Writes a new password, then ends the sessions, links and agents that the old one started: who knew it may have
 * connected one. The library's own order would miss a sign-in between the two steps (see `assertPasswordUnchanged`). A
 * change that verified the old password fails if it was replaced meanwhile.
 */
async function setPassword(account_id: string, password_hash: string): Promise<Account | null> {
  await assertNotLocked(account_id);
  const request = currentRequest.getStore();
  const verifiedHash = request?.verifiedHash;
  const account = await changeAccount(serviceCaller('identity'), account_id, { password_hash }, async (before) => {
    if (verifiedHash !== undefined && verifiedHash !== before.password_hash) {
      throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' });
    }
    return before.password_hash === null ? [] : [await accountAuditEvent(account_id, 'password.changed')];
  });
  await endSessions(serviceCaller('identity'), { account_id });
  await deleteChallenges(account_id);
  // After the sessions, in which a person could have allowed another one.
  const agents = await disconnectAll(account_id);
  if (request !== undefined && account !== null)
    request.passwordChange = { email: account.email, language: account.language ?? null, agents };
  return account;
}

/**
 * The library's `account` model, which lists ways to sign in. We have one, the password, and store it in the account.
 */
export const credentialTable: Table = {
  async create(row) {
    const { userId, password } = row as Row & { userId: string; password: string };
    const account = await setPassword(userId, password);
    if (account === null) throw new Error('cannot set a password: no such account');
    return credential(account);
  },
  async find(clauses) {
    const account = await accountWithPassword(clauses);
    return account === null ? [] : [credential(account)];
  },
  async change(clauses, { password }) {
    const account = await accountWithPassword(clauses);
    if (account === null) return 0;
    if (password !== undefined) await setPassword(account._id, String(password));
    return 1;
  },
  remove: () => Promise.reject(new Error('passwords cannot be removed')),
};
