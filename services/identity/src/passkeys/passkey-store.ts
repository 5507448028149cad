import type { RaisedEvent } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineGlobalModel, type GlobalStored, insertChange, saveChange, unscoped } from '@webkiln/store';
import type { PasskeyState } from './passkey.ts';

export type Passkey = GlobalStored<PasskeyState>;

const keptSecondsAfterRemoval = 24 * 3600;

// Global: an account's, like its password, and looked up before anybody knows whose it is.
export const PasskeyModel = defineGlobalModel<PasskeyState>(
  'passkeys',
  {
    account_id: { type: String, required: true },
    credential_id: { type: String, required: true },
    public_key: { type: String, required: true },
    counter: { type: Number, required: true },
    transports: { type: [String], default: [] },
    backed_up: { type: Boolean, required: true },
    name: { type: String, required: true },
    created_at: { type: Date, required: true },
    last_used_at: { type: Date, default: null },
    removed_at: { type: Date, default: null },
  },
  {
    indexes: [
      [{ credential_id: 1 }, { unique: true }],
      [{ account_id: 1, created_at: 1 }],
      // Removed by a mark, in one write with its event.
      [{ removed_at: 1 }, { expireAfterSeconds: keptSecondsAfterRemoval }],
    ],
  },
);

/** An account's, oldest first. */
export const passkeysOf = (account_id: string): Promise<Passkey[]> =>
  unscoped(PasskeyModel).find({ account_id, removed_at: null }, { sort: { created_at: 1 } });

/** One of the account's; null where it has no such. */
export const passkeyById = (account_id: string, _id: string): Promise<Passkey | null> =>
  unscoped(PasskeyModel).findOne({ _id, account_id, removed_at: null });

/** Whoever's it is. */
export const passkeyByCredential = (credential_id: string): Promise<Passkey | null> =>
  unscoped(PasskeyModel).findOne({ credential_id, removed_at: null });

/** Adds a passkey; a credential that is known already is an error that `isDuplicate` tells. */
export const insertPasskey = (caller: Caller, state: PasskeyState, events: readonly RaisedEvent[]): Promise<Passkey> =>
  insertChange(PasskeyModel, caller, { state, events });

/** Throws `edited_meanwhile` when the passkey is not at that revision any more. */
export const savePasskey = (
  caller: Caller,
  passkey: Passkey,
  state: Partial<PasskeyState>,
  events: readonly RaisedEvent[] = [],
): Promise<Passkey> => saveChange(PasskeyModel, caller, passkey, { state, events });
