import type { Caller } from '@webkiln/rpc';
import { defineModel, insertChange } from '@webkiln/store';

/** A person's presence in one organization. */
export interface UserState {
  _id: string;
  account_id: string;
  created_at: Date;
}

const UserModel = defineModel<UserState>('users', {
  account_id: { type: String, required: true },
  created_at: { type: Date, required: true },
});

/** The user of this id, made with the account where there is none: a user keeps the account he has. */
export const attachUser = (caller: Caller, _id: string, account_id: string): Promise<UserState> =>
  insertChange(UserModel, caller, { state: { _id, account_id, created_at: new Date() }, events: [] });
