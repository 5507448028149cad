import { Account as PublicAccount } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { batched } from '@webkiln/runtime';
import {
  defineGlobalModel,
  definitionOf,
  type Filter,
  type GlobalStored,
  insertChange,
  isDuplicate,
  newId,
  type Session,
  saveChange,
  saveWithRetry,
  unscoped,
  where,
} from '@webkiln/store';
import { type AccountState, foldEmail, openAccount } from './account.ts';

export type Account = GlobalStored<AccountState>;

const keptSecondsAfterErasure = 24 * 3600;

// Global: one account for all organizations that a person works in or is a client of.
export const AccountModel = defineGlobalModel<AccountState>(
  'accounts',
  {
    ...definitionOf(PublicAccount),
    email_folded: { type: String, required: true },
    password_hash: { type: String, default: null },
    wanted_organization: { type: String, default: null },
    locked_at: { type: Date, default: null },
    deleted_at: { type: Date, default: null },
    erased_at: { type: Date, default: null },
    swept_at: { type: Date, default: null },
    devices_after: { type: Date, default: null },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  {
    raisesEvents: true,
    indexes: [
      [{ email_folded: 1 }, { unique: true }],
      [{ deleted_at: 1 }, { partialFilterExpression: { deleted_at: { $type: 'date' } } }],
      [{ erased_at: 1 }, { expireAfterSeconds: keptSecondsAfterErasure }],
    ],
  },
);

/** Reads of one event-loop tick share a query. */
export const accountByEmail = batched<string, Account | null>(async (emails) => {
  const folded = emails.map(foldEmail);
  const found = await unscoped(AccountModel).find({ email_folded: where({ $in: [...new Set(folded)] }) });
  const byEmail = new Map(found.map((account) => [account.email_folded, account]));
  return folded.map((email) => byEmail.get(email) ?? null);
});

export const accountById = (_id: string): Promise<Account | null> => unscoped(AccountModel).findOne({ _id });

export const accountsMatching = (filter: Filter<Account>, limit: number): Promise<Account[]> =>
  unscoped(AccountModel).find(filter, { limit });

/** Adds an account. A taken email fails with an error that `isDuplicate` recognizes. */
export const insertAccount = (caller: Caller, state: AccountState): Promise<Account> =>
  insertChange(AccountModel, caller, new Change(state, []));

/** Finds or creates the email's account; concurrent calls get the same one. */
export async function findOrCreateAccount(caller: Caller, email: string, name: string | null): Promise<Account> {
  const known = await accountByEmail(email);
  if (known !== null) return known;
  try {
    return await insertAccount(caller, openAccount({ _id: newId(caller, 'account'), email, name }, new Date()));
  } catch (error) {
    const made = isDuplicate(error, 'email_folded') ? await accountByEmail(email) : null;
    if (made === null) throw error;
    return made;
  }
}

/** Throws `edited_meanwhile` if the account has changed since it was read. */
export const saveAccount = (
  caller: Caller,
  account: Account,
  state: Partial<AccountState>,
  events: readonly RaisedEvent[] = [],
): Promise<Account> => saveChange(AccountModel, caller, account, new Change({ ...state, updated_at: new Date() }, events));

/** Changes the account's latest revision; null if there is no such account. */
export const changeAccount = (
  caller: Caller,
  _id: string,
  state: Partial<AccountState>,
  eventsOf: (before: Account) => Promise<readonly RaisedEvent[]> = async () => [],
): Promise<Account | null> =>
  saveWithRetry(caller, async () => {
    const account = await accountById(_id);
    return account && saveAccount(caller, account, state, await eventsOf(account));
  });

/** The emails by id of accounts that are neither deleted nor being deleted. */
export async function emailsOf(ids: readonly string[], session?: Session): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await unscoped(AccountModel, session).find({ _id: where({ $in: [...ids] }) }, { fields: ['email', 'deleted_at'] });
  return new Map(found.flatMap(({ _id, email, deleted_at }) => (deleted_at ? [] : [[_id, email]])));
}

/** Accounts whose deletion began before a time and that were not swept since, oldest first. */
export const accountsToSweep = (before: Date, limit: number): Promise<Account[]> =>
  unscoped(AccountModel).find(
    { deleted_at: where<Date | null>({ $type: 'date', $lt: before }), swept_at: null },
    { sort: { deleted_at: 1 }, limit },
  );

export async function accountsById(ids: readonly string[]): Promise<Map<string, Account>> {
  const found = await unscoped(AccountModel).find({ _id: where({ $in: [...ids] }) });
  return new Map(found.map((account) => [account._id, account]));
}
