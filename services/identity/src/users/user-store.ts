import { type Caller, Change } from '@webkiln/messages';
import { acrossOrganizations, batchedById, defineModel, insertChange, type Stored, scoped } from '@webkiln/store';

/** A client's user: an account's access to one organization as its client. */
export interface UserState {
  _id: string;
  account_id: string;
  /** The client that the user belongs to. */
  client_id?: string | null;
  created_at: Date;
}

export type UserRecord = Stored<UserState>;

export const UserModel = defineModel<UserState>(
  'users',
  {
    account_id: { type: String, required: true },
    client_id: { type: String, default: null },
    created_at: { type: Date, required: true },
  },
  // Finds the organizations of an account at sign-in.
  { exportedAs: null, indexesAcross: [[{ account_id: 1, created_at: 1 }]] },
);

/** Returns the user with this id, created with the account if missing. An existing user keeps its account. */
export const attachUser = (caller: Caller, state: Omit<UserState, 'created_at'>): Promise<UserState> =>
  insertChange(UserModel, caller, new Change({ client_id: null, ...state, created_at: new Date() }, []));

const byId = batchedById(UserModel);

/** Null if the organization has no such user. */
export const userIn = (org_id: string, _id: string): Promise<UserRecord | null> => byId({ org_id }, _id);

/** An account's users in all organizations, oldest first. */
export async function usersAcross(account_id: string): Promise<UserRecord[]> {
  const owners = await acrossOrganizations(UserModel).owners('_id', 'created_at', { account_id });
  const found = await Promise.all(owners.map(({ org_id, key }) => userIn(org_id, key)));
  return found.filter((user) => user !== null).sort((a, b) => a.created_at.getTime() - b.created_at.getTime());
}

/** Ends an account's access as a client's user, in all organizations. Their clients can be invited again. */
export async function deleteUsersOf(account_id: string): Promise<void> {
  for (const { _id, org_id } of await usersAcross(account_id)) await scoped(UserModel, { org_id }).deleteOne({ _id });
}
