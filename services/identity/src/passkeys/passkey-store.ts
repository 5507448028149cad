import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { defineGlobalModel, definitionOf, type GlobalStored, insertChange, saveChange, unscoped } from '@webkiln/store';
import { type PasskeyState, StoredPasskey } from './passkey.ts';

export type Passkey = GlobalStored<PasskeyState>;

const keptSecondsAfterRemoval = 24 * 3600;

// Global: a passkey belongs to an account and is looked up before the account is known.
export const PasskeyModel = defineGlobalModel<PasskeyState>(
  'passkeys',
  {
    ...definitionOf(StoredPasskey),
    account_id: { type: String, required: true },
    credential_id: { type: String, required: true },
    public_key: { type: String, required: true },
    counter: { type: Number, required: true },
    transports: { type: [String], default: [] },
    removed_at: { type: Date, default: null },
  },
  {
    raisesEvents: true,
    indexes: [
      [{ credential_id: 1 }, { unique: true }],
      [{ account_id: 1, created_at: 1 }],
      // Removal marks the record in the same write as its event.
      [{ removed_at: 1 }, { expireAfterSeconds: keptSecondsAfterRemoval }],
    ],
  },
);

/** An account's passkeys, oldest first. */
export const passkeysOf = (account_id: string): Promise<Passkey[]> =>
  unscoped(PasskeyModel).find({ account_id, removed_at: null }, { sort: { created_at: 1 } });

/** Null if the account has no such passkey. */
export const passkeyById = (account_id: string, _id: string): Promise<Passkey | null> =>
  unscoped(PasskeyModel).findOne({ _id, account_id, removed_at: null });

/** Looks in all accounts. */
export const passkeyByCredential = (credential_id: string): Promise<Passkey | null> =>
  unscoped(PasskeyModel).findOne({ credential_id, removed_at: null });

/** Adds a passkey. A known credential fails with an error that `isDuplicate` recognizes. */
export const insertPasskey = (caller: Caller, state: PasskeyState, events: readonly RaisedEvent[]): Promise<Passkey> =>
  insertChange(PasskeyModel, caller, new Change(state, events));

/** Removes an account's passkeys; the records go a day later, when their events are published. */
export async function forgetPasskeys(account_id: string): Promise<void> {
  const found = await unscoped(PasskeyModel).find({ account_id }, { fields: [] });
  const gone = { account_id: 'deleted', name: 'deleted', public_key: 'deleted', removed_at: new Date() };
  await unscoped(PasskeyModel).updateEach(found.map(({ _id }) => [{ _id }, { $set: { ...gone, credential_id: `deleted ${_id}` } }]));
}

/** Throws `edited_meanwhile` if the passkey has changed since it was read. */
export const savePasskey = (
  caller: Caller,
  passkey: Passkey,
  state: Partial<PasskeyState>,
  events: readonly RaisedEvent[] = [],
): Promise<Passkey> => saveChange(PasskeyModel, caller, passkey, new Change(state, events));
