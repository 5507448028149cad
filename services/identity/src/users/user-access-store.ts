import { AppError, type RaisedEvent } from '@webkiln/contract';
import type { Caller } from '@webkiln/rpc';
import { defineModel, gatheredById, insertChange, type Stored, saveChange, saveWithRetry } from '@webkiln/store';
import { userIn } from './user-store.ts';

/** Whether a client's user is let in; there may be no user yet. `_id` is the user's. */
export interface UserAccessState {
  _id: string;
  paused: boolean;
  /** The revision of the client that said so. */
  client_revision: number;
}

export const UserAccessModel = defineModel<UserAccessState>('user_access', {
  paused: { type: Boolean, required: true },
  client_revision: { type: Number, required: true },
});

const byId: (scope: { org_id: string }, id: string) => Promise<Stored<UserAccessState> | null> = gatheredById(UserAccessModel);

/** Whether the client whose user it is has been suspended, or has left. */
export const isPaused = async (org_id: string, userId: string): Promise<boolean> => (await byId({ org_id }, userId))?.paused === true;

/** Notes what a revision of the client says, unless a later one has spoken; the user's sessions hear of it. */
export const saveAccess = (caller: Caller, { _id, ...state }: UserAccessState): Promise<void> =>
  saveWithRetry(caller, async () => {
    const { org_id } = caller.principal;
    const current = await byId({ org_id }, _id);
    if (current !== null && current.client_revision >= state.client_revision) return;
    const user = await userIn(org_id, _id);
    const events: RaisedEvent[] = user === null ? [] : [{ type: 'internal.session.changed', data: { account_id: user.account_id } }];
    if (current !== null) {
      await saveChange(UserAccessModel, caller, current, { state, events });
      return;
    }
    const { client_revision } = await insertChange(UserAccessModel, caller, { state: { _id, ...state }, events });
    if (client_revision !== state.client_revision) throw new AppError('edited_meanwhile');
  });
