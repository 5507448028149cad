import { type Caller, Change, onBehalf } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import { batchedById, defineModel, derivedId, insertChange, type Stored, saveChange, saveWithRetry } from '@webkiln/store';

/** An agency's own user, as we know it. `_id` is derived from the agency's id of the user, which is fixed for good. */
interface EmbedUserState {
  _id: string;
  external_id: string;
  /** The user who owns the projects: the client's, or one of its own without a client. */
  user_id: string;
  client_id: string | null;
  created_at: Date;
}

const EmbedUserModel = defineModel<EmbedUserState>(
  'embed_users',
  {
    external_id: { type: String, required: true },
    user_id: { type: String, required: true },
    client_id: { type: String, default: null },
    created_at: { type: Date, required: true },
  },
  { exportedAs: null },
);

const byId = batchedById(EmbedUserModel);

interface Wanted {
  readonly external_user_id: string;
  readonly email?: string | undefined;
}

/** A user with what its client's plan allows. */
interface AdmittedUser {
  readonly user_id: string;
  readonly client_id: string | null;
  readonly max_sites: number | undefined;
  readonly joined_by_link: boolean;
}

/**
 * Finds or makes the user. With the email of a client it is that client's, for good, and brings the projects that it
 * made before. Throws `client_paused`.
 */
export const embedUser = (caller: Caller, { external_user_id, email }: Wanted): Promise<AdmittedUser> =>
  saveWithRetry({}, async () => {
    const { org_id } = caller.principal;
    const _id = idOf(org_id, external_user_id);
    const known = await byId({ org_id }, _id);
    const { client_id, user_id, max_sites, joined_by_link } = await admittedClient(caller, known?.client_id ?? undefined, email);
    if (client_id === undefined) {
      const user = known ?? (await insert(caller, { _id, external_id: external_user_id, user_id: _id, client_id: null }));
      return { user_id: user.user_id, client_id: user.client_id, max_sites, joined_by_link };
    }
    if (known === null) await insert(caller, { _id, external_id: external_user_id, user_id, client_id });
    else if (known.client_id === null) await attach(caller, known, { user_id, client_id });
    return { user_id, client_id, max_sites, joined_by_link };
  });

async function admittedClient(caller: Caller, client_id: string | undefined, email: string | undefined) {
  if (client_id === undefined && email === undefined) return { client_id, user_id: '', max_sites: undefined, joined_by_link: false };
  const wanted = client_id === undefined ? { email } : { client_id };
  return call('clients.AdmitClientUser', wanted, onBehalf('embed', caller));
}

const insert = (caller: Caller, state: Omit<EmbedUserState, 'created_at'>) =>
  insertChange(EmbedUserModel, caller, new Change({ ...state, created_at: new Date() }, []));

/** The projects move first: an attempt that dies in between is repeated by the next session. */
async function attach(caller: Caller, known: Stored<EmbedUserState>, client: { user_id: string; client_id: string }): Promise<void> {
  for (let done = false; !done; )
    ({ done } = await call('projects.MoveProjects', { from_user_id: known.user_id, ...client }, onBehalf('embed', caller)));
  await saveChange(EmbedUserModel, caller, known, new Change(client, []));
}

/** From organization and id: concurrent first sessions make one user. */
const idOf = (org_id: string, external_id: string): string => derivedId(`${org_id}\n${external_id}`);
