import { AppError } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import {
  acrossOrganizations,
  batchedById,
  defineModel,
  insertChange,
  type Scope,
  type Stored,
  saveChange,
  saveWithRetry,
  scoped,
  where,
} from '@webkiln/store';

/** A client's user: an account's access to one organization as its client. */
interface UserState {
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

/** Which of the accounts are users of the caller's organization. */
export async function accountsOfUsers(scope: Scope, ids: readonly string[]): Promise<string[]> {
  const found = await scoped(UserModel, scope).find({ account_id: where({ $in: [...ids] }) }, { fields: ['account_id'] });
  return found.map(({ account_id }) => account_id);
}

/** Ends an account's access as a client's user, in all organizations. Their clients can be invited again. */
export async function deleteUsersOf(account_id: string): Promise<void> {
  for (const { _id, org_id } of await usersAcross(account_id)) await scoped(UserModel, { org_id }).deleteOne({ _id });
}

/** The access of a client's user, as its client gives it. `_id` is the user's id; the user may not exist yet. */
interface UserAccessState {
  _id: string;
  paused: boolean;
  /** The client joined by a build link. Absent in records of earlier versions. */
  joined_by_link?: boolean;
  /** The client's revision that set these. */
  client_revision: number;
}

const UserAccessModel = defineModel<UserAccessState>(
  'user_access',
  { paused: { type: Boolean, required: true }, joined_by_link: Boolean, client_revision: { type: Number, required: true } },
  { exportedAs: null, raisesEvents: true },
);

const accessById: (scope: { org_id: string }, id: string) => Promise<Stored<UserAccessState> | null> = batchedById(UserAccessModel);

/** What the user's client says of it: that it is suspended or has left, and that it joined by a build link. */
export async function accessOf(org_id: string, userId: string): Promise<{ paused: boolean; joined_by_link: boolean }> {
  const { paused = false, joined_by_link = false } = (await accessById({ org_id }, userId)) ?? {};
  return { paused, joined_by_link };
}

/**
 * Stores the access that a revision of the client sets, unless a later revision is stored, and invalidates cached
 * sessions.
 */
export const saveAccess = (caller: Caller, { _id, ...state }: UserAccessState): Promise<void> =>
  saveWithRetry(caller, async () => {
    const { org_id } = caller.principal;
    const current = await accessById({ org_id }, _id);
    if (current !== null && current.client_revision >= state.client_revision) return;
    const user = await userIn(org_id, _id);
    const events: RaisedEvent[] = user === null ? [] : [{ type: 'internal.session.changed', data: { account_id: user.account_id } }];
    if (current !== null) {
      await saveChange(UserAccessModel, caller, current, new Change(state, events));
      return;
    }
    const { client_revision } = await insertChange(UserAccessModel, caller, new Change({ _id, ...state }, events));
    if (client_revision !== state.client_revision) throw new AppError('edited_meanwhile');
  });
