import type { Caller } from '@webkiln/rpc';
import { defineGlobalModel, type GlobalStored, insertChange, isDuplicate, newId, saveChange, unscoped, where } from '@webkiln/store';
import { type AccountState, foldEmail, openAccount } from './account.ts';

type Account = GlobalStored<AccountState>;

// Global: one person signs in once, whichever organizations he works in or is a client of.
const AccountModel = defineGlobalModel<AccountState>(
  'accounts',
  {
    email: { type: String, required: true },
    email_folded: { type: String, required: true },
    name: { type: String, default: null },
    password_hash: { type: String, default: null },
    failed_at: { type: [Date], required: true },
    created_at: { type: Date, required: true },
  },
  { indexes: [[{ email_folded: 1 }, { unique: true }]] },
);

export const accountByEmail = (email: string): Promise<Account | null> =>
  unscoped(AccountModel).findOne({ email_folded: foldEmail(email) });

/** The account of the email, made where there is none; two who make it at once get the same. */
export async function accountFor(caller: Caller, email: string, name: string | null): Promise<Account> {
  const known = await accountByEmail(email);
  if (known !== null) return known;
  try {
    const state = openAccount({ _id: newId(caller, 'account'), email, name }, new Date());
    return await insertChange(AccountModel, caller, { state, events: [] });
  } catch (error) {
    const made = isDuplicate(error, 'email_folded') ? await accountByEmail(email) : null;
    if (made === null) throw error;
    return made;
  }
}

/** Throws `edited_meanwhile` when the account is not at that revision any more. */
export const saveAccount = (caller: Caller, account: Account, state: Partial<AccountState>): Promise<Account> =>
  saveChange(AccountModel, caller, account, { state, events: [] });

/** Takes back the count of a try that turned out right. */
export async function forgetTry(_id: string, at: Date): Promise<void> {
  await unscoped(AccountModel).updateOne({ _id }, { $pull: { failed_at: at } });
}

/** The accounts' emails by id. */
export async function emailsOf(ids: readonly string[]): Promise<Map<string, string>> {
  const found = await unscoped(AccountModel).find({ _id: where({ $in: [...ids] }) }, { fields: ['email'] });
  return new Map(found.map(({ _id, email }) => [_id, email]));
}
