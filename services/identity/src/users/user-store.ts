import type { Caller } from '@webkiln/rpc';
import { acrossOrganizations, defineModel, gatheredById, insertChange, type Stored } from '@webkiln/store';

/** A person's presence in one organization. */
export interface UserState {
  _id: string;
  account_id: string;
  /** The client whose user it is. */
  client_id?: string | null;
  created_at: Date;
}

export type UserRecord = Stored<UserState>;

const UserModel = defineModel<UserState>(
  'users',
  {
    account_id: { type: String, required: true },
    client_id: { type: String, default: null },
    created_at: { type: Date, required: true },
  },
  // Where somebody who signs in is a client.
  { indexesAcross: [[{ account_id: 1, created_at: 1 }]] },
);

/** The user of this id, made with the account where there is none: a user keeps the account he has. */
export const attachUser = (caller: Caller, state: Omit<UserState, 'created_at'>): Promise<UserState> =>
  insertChange(UserModel, caller, { state: { client_id: null, ...state, created_at: new Date() }, events: [] });

const byId = gatheredById(UserModel);

/** Null where the organization has no such user. */
export const userIn = (org_id: string, _id: string): Promise<UserRecord | null> => byId({ org_id }, _id);

/** What an account is a user of, oldest first. */
export async function usersAcross(account_id: string): Promise<UserRecord[]> {
  const owners = await acrossOrganizations(UserModel).owners('_id', 'created_at', { account_id });
  const found = await Promise.all(owners.map(({ org_id, key }) => userIn(org_id, key)));
  return found.filter((user) => user !== null).sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
}
