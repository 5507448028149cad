import { type RaisedEvent, serviceCaller } from '@webkiln/messages';
import { isDuplicate } from '@webkiln/store';
import { APIError } from 'better-auth/api';
import { type AccountState, foldEmail, isVerified, openAccount } from '../../accounts/account.ts';
import { type Account, accountsMatching, changeAccount, insertAccount } from '../../accounts/account-store.ts';
import { accountAuditEvent } from '../../audit/account-audit-event.ts';
import { currentRequest } from '../current-request.ts';
import { type Clause, filterOf, type Row, type Table } from './table.ts';

/** Emails are looked up case-insensitively. */
const folded = (clauses: readonly Clause[]): Clause[] =>
  clauses.map((clause) =>
    clause.field === 'email' ? { ...clause, field: 'email_folded', value: foldEmail(String(clause.value)) } : clause,
  );

const matching = (clauses: readonly Clause[], limit: number) => accountsMatching(filterOf(folded(clauses)), limit);

const toRow = (account: Account): Row => ({ ...account, email_verified: isVerified(account), two_factor: account.two_factor === true });

const withFolded = (changes: Partial<AccountState>) =>
  changes.email === undefined ? changes : { ...changes, email_folded: foldEmail(changes.email) };

/** The library's `user` model: our accounts. */
export const userTable: Table = {
  async create(row) {
    const { _id, email, name, wanted_organization = null } = row as Row & AccountState;
    const language = currentRequest.getStore()?.language ?? null;
    const state = { ...openAccount({ _id, email, name }, new Date()), wanted_organization, language };
    return toRow(await insertAccount(serviceCaller('identity'), state));
  },
  find: async (clauses, limit) => (await matching(clauses, limit)).map(toRow),
  async change(clauses, changes) {
    const found = await matching(clauses, 100);
    const state = withFolded(changes as Partial<AccountState>);
    for (const { _id } of found) await changeAccount(serviceCaller('identity'), _id, state, auditEventsFor(changes)).catch(refuseTaken);
    return found.length;
  },
  remove: () => Promise.reject(new Error('accounts cannot be removed')),
};

/** Audit events for changes of the second factor and of the email address. */
const auditEventsFor =
  ({ two_factor, email }: Record<string, unknown>) =>
  async (before: Account): Promise<RaisedEvent[]> => {
    const events: RaisedEvent[] = [];
    if (typeof two_factor === 'boolean' && two_factor !== (before.two_factor === true))
      events.push(
        await accountAuditEvent(before._id, two_factor ? 'second_factor.on' : 'second_factor.off'),
        // What its sessions may do where an organization requires a second factor.
        { type: 'internal.session.changed', data: { account_id: before._id } },
      );
    if (typeof email === 'string' && email !== before.email)
      events.push(await accountAuditEvent(before._id, 'email.changed', { target: targetOf(before) }));
    return events;
  };

const targetOf = ({ _id, email }: Account) => ({ kind: 'account', id: _id, name: email });

/** Two accounts may request one address; the second to follow its link gets this error. */
function refuseTaken(error: unknown): never {
  if (!isDuplicate(error, 'email_folded')) throw error;
  throw new APIError('BAD_REQUEST', { code: 'ADDRESS_TAKEN', message: 'This address belongs to another account by now' });
}
