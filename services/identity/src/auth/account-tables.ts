import type { RaisedEvent } from '@webkiln/contract';
import { isDuplicate } from '@webkiln/store';
import { APIError } from 'better-auth/api';
import { type AccountState, foldEmail, isVerified, openAccount } from '../accounts/account.ts';
import { type Account, accountById, accountsMatching, changeAccount, insertAccount } from '../accounts/account-store.ts';
import { auditedOf } from '../audit/audited-of.ts';
import { endSessions } from '../sessions/session-store.ts';
import { forgetChallenges } from './challenge-store.ts';
import { currentRequest } from './current-request.ts';
import { ownCaller } from './own-caller.ts';
import { type Clause, equalTo, filterOf, type Row, type Table } from './table.ts';

/** Emails are looked up whatever their case. */
const folded = (clauses: readonly Clause[]): Clause[] =>
  clauses.map((clause) =>
    clause.field === 'email' ? { ...clause, field: 'email_folded', value: foldEmail(String(clause.value)) } : clause,
  );

const matching = (clauses: readonly Clause[], limit: number) => accountsMatching(filterOf(folded(clauses)), limit);

const toRow = (account: Account): Row => ({ ...account, email_verified: isVerified(account), two_factor: account.two_factor === true });

const withFolded = (changes: Partial<AccountState>) =>
  changes.email === undefined ? changes : { ...changes, email_folded: foldEmail(changes.email) };

/** The library's users: the accounts themselves. */
export const userTable: Table = {
  async create(row) {
    const { _id, email, name, wanted_organization = null } = row as Row & AccountState;
    const state = { ...openAccount({ _id, email, name }, new Date()), wanted_organization };
    return toRow(await insertAccount(ownCaller(), state));
  },
  find: async (clauses, limit) => (await matching(clauses, limit)).map(toRow),
  async change(clauses, changes) {
    const found = await matching(clauses, 100);
    const state = withFolded(changes as Partial<AccountState>);
    for (const { _id } of found) await changeAccount(ownCaller(), _id, state, changed(changes)).catch(refuseTaken);
    return found.length;
  },
  remove: () => Promise.reject(new Error('accounts are not removed')),
};

/** What the log is told: that the second factor goes on or off, that the account goes by another address. */
const changed =
  ({ two_factor, email }: Record<string, unknown>) =>
  async (before: Account): Promise<RaisedEvent[]> => {
    const events: RaisedEvent[] = [];
    if (typeof two_factor === 'boolean' && two_factor !== (before.two_factor === true))
      events.push(await auditedOf(before._id, two_factor ? 'second_factor.on' : 'second_factor.off'));
    if (typeof email === 'string' && email !== before.email)
      events.push(await auditedOf(before._id, 'email.changed', { target: own(before) }));
    return events;
  };

const own = ({ _id, email }: Account) => ({ kind: 'account', id: _id, name: email });

/** Of two who come to want one address the second is told, by the link that he follows. */
function refuseTaken(error: unknown): never {
  if (!isDuplicate(error, 'email_folded')) throw error;
  throw new APIError('BAD_REQUEST', { code: 'ADDRESS_TAKEN', message: 'This address belongs to another account by now' });
}

const credential = ({ _id, password_hash, created_at, updated_at = created_at }: Account): Row => ({
  _id,
  userId: _id,
  accountId: _id,
  providerId: 'credential',
  password: password_hash,
  createdAt: created_at,
  updatedAt: updated_at,
});

/** Whose password is meant: each has one at most, under his own id. */
async function holder(clauses: readonly Clause[]): Promise<Account | null> {
  const provider = equalTo(clauses, 'providerId');
  const id = equalTo(clauses, 'userId') ?? equalTo(clauses, 'accountId') ?? equalTo(clauses, '_id');
  if (typeof id !== 'string' || (provider !== undefined && provider !== 'credential')) return null;
  const account = await accountById(id);
  return account?.password_hash ? account : null;
}

/**
 * Writes a new password, and then ends what was begun by the one before, sessions and links (the library's own order would let in whoever signs in
 * between the two: see `assertStillProven`). Whoever gave the present password gave one that is still right.
 */
async function setPassword(account_id: string, password_hash: string): Promise<Account | null> {
  const { provenHash } = currentRequest.getStore() ?? {};
  const account = await changeAccount(ownCaller(), account_id, { password_hash }, async (before) => {
    if (provenHash !== undefined && provenHash !== before.password_hash) {
      throw new APIError('BAD_REQUEST', { code: 'INVALID_PASSWORD', message: 'Invalid password' });
    }
    return before.password_hash === null ? [] : [await auditedOf(account_id, 'password.changed')];
  });
  await endSessions(ownCaller(), { account_id });
  await forgetChallenges(account_id);
  return account;
}

/** The library's accounts, which are ways to sign in: of ours there is one, the password, and it stands in the account itself. */
export const credentialTable: Table = {
  async create(row) {
    const { userId, password } = row as Row & { userId: string; password: string };
    const account = await setPassword(userId, password);
    if (account === null) throw new Error('a password for an account that is not there');
    return credential(account);
  },
  async find(clauses) {
    const account = await holder(clauses);
    return account === null ? [] : [credential(account)];
  },
  async change(clauses, { password }) {
    const account = await holder(clauses);
    if (account === null) return 0;
    if (password !== undefined) await setPassword(account._id, String(password));
    return 1;
  },
  remove: () => Promise.reject(new Error('passwords are not removed')),
};
