import { AppError } from '@webkiln/contract';
import { type Caller, Change, type RaisedEvent } from '@webkiln/messages';
import { batchedById, defineModel, insertChange, type Stored, saveChange, saveWithRetry } from '@webkiln/store';
import { userIn } from './user-store.ts';

/** Tells whether a client's user has access. `_id` is the user's id; the user may not exist yet. */
export interface UserAccessState {
  _id: string;
  paused: boolean;
  /** The client's revision that set `paused`. */
  client_revision: number;
}

export const UserAccessModel = defineModel<UserAccessState>(
  'user_access',
  { paused: { type: Boolean, required: true }, client_revision: { type: Number, required: true } },
  { exportedAs: null, raisesEvents: true },
);

const byId: (scope: { org_id: string }, id: string) => Promise<Stored<UserAccessState> | null> = batchedById(UserAccessModel);

/** True if the user's client is suspended or has left. */
export const isPaused = async (org_id: string, userId: string): Promise<boolean> => (await byId({ org_id }, userId))?.paused === true;

/**
 * Stores the access that a revision of the client sets, unless a later revision is stored, and invalidates cached
 * sessions.
 */
export const saveAccess = (caller: Caller, { _id, ...state }: UserAccessState): Promise<void> =>
  saveWithRetry(caller, async () => {
    const { org_id } = caller.principal;
    const current = await byId({ org_id }, _id);
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
